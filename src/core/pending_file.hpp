// Replaces a file as a whole.
#pragma once

#include <string>
#include <string_view>

#include "src/core/descriptor.hpp"

namespace epochcast {

/// The new content of the file at `path`. It is written next to it as PATH.new and synced to disk
/// before it takes the name, so that after a power failure either the old or the new file exists.
/// PATH.new is removed unless replace() was called. All functions throw RunError "PATH: cannot be
/// written: reason".
class PendingFile {
 public:
  explicit PendingFile(const std::string& path);
  PendingFile(PendingFile&&) = delete;
  ~PendingFile();

  void write(std::string_view bytes);

  /// Syncs and renames the new file.
  void replace();

 private:
  void require(bool done) const;
  std::string beside() const { return path_ + ".new"; }

  std::string path_;
  Descriptor descriptor_;
  bool replaced_ = false;
};

}  // namespace epochcast
