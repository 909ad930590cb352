// Replacing a file as a whole.
#pragma once

#include <string>
#include <string_view>

#include "src/core/descriptor.hpp"

namespace epochcast {

/// What is to become the file at `path`: written beside it as PATH.new, and on the disk before it
/// takes the name, so that a power cut leaves the old file or the new one. Removed again unless
/// replace() was called. All throw RunError "PATH: cannot be written: reason".
class PendingFile {
 public:
  explicit PendingFile(const std::string& path);
  PendingFile(PendingFile&&) = delete;
  ~PendingFile();

  void write(std::string_view bytes);

  /// Syncs and renames.
  void replace();

 private:
  void require(bool done) const;
  std::string beside() const { return path_ + ".new"; }

  std::string path_;
  Descriptor descriptor_;
  bool replaced_ = false;
};

}  // namespace epochcast
