// Replaces a file as a whole.
#pragma once

#include <string>
#include <string_view>

#include "src/core/descriptor.hpp"

namespace epochcast {

/// The new content of the file at `path`. It is written next to it, as PATH.new or `beside`, which
/// is removed unless it has taken the name. All functions throw RunError "PATH: cannot be
/// written: reason".
class PendingFile {
 public:
  explicit PendingFile(const std::string& path) : PendingFile(path, path + ".new") {}
  PendingFile(const std::string& path, const std::string& beside);
  PendingFile(PendingFile&&) = delete;
  ~PendingFile();

  void write(std::string_view bytes);

  /// Syncs the new file to disk before it takes the name, so that after a power failure either the
  /// old or the new file exists.
  void replace();

  /// Only takes the name.
  void rename();

 private:
  void require(bool done) const;

  std::string path_;
  std::string beside_;
  Descriptor descriptor_;
  bool replaced_ = false;
};

}  // namespace epochcast
