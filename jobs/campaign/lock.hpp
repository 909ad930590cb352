// A lock on an output folder. It is held while the object, or a child process that inherited it,
// lives.
#pragma once

#include <filesystem>

#include "src/base/core/file_lock.hpp"

namespace epochcast::jobs {

class FolderLock {
 public:
  /// Takes the lock `path`. Throws RunError "OUT: another 'epochcast-jobs WHAT' is active here" if
  /// another process still holds it after `timeout_s`.
  FolderLock(const std::filesystem::path& path, const char* what,
             FileLock::Inherit inherit = FileLock::Inherit::no, double timeout_s = 0);

 private:
  FileLock lock_;
};

}  // namespace epochcast::jobs
