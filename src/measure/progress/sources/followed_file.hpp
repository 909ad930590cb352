// A file that another program writes, read as it grows.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "src/base/core/descriptor.hpp"

namespace epochcast::progress::sources {

/// What is new in the file.
struct Growth {
  std::string bytes;
  bool restarted = false;           ///< It was truncated or replaced: `bytes` are from its start.
  bool more = false;                ///< There is more to read now.
  double written_since_1970_s = 0;  ///< When the file was last written.
};

class FollowedFile {
 public:
  explicit FollowedFile(std::string path) : path_(std::move(path)) {}

  /// At most `most` bytes that were not read before; none while there is no such file. Takes only
  /// regular files. Never blocks, as long as the file system does not; never throws.
  Growth read(std::size_t most);

  /// What is in the file now will not be read.
  void skip();

  const std::string& path() const { return path_; }

 private:
  bool open_again();
  bool rewritten() const;

  std::string path_;
  Descriptor file_{-1};
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::int64_t offset_ = 0;
  std::string head_;  ///< What the file began with, as far as it was read.
  std::string tail_;  ///< What stood before `offset_`.
  bool was_open_ = false;
};

}  // namespace epochcast::progress::sources
