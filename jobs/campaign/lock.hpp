// A lock on an output folder, held as long as the object, or as any child of this process that
// inherited it, lives.
#pragma once

#include "src/core/file_lock.hpp"

namespace epochcast::jobs {

class FolderLock {
 public:
  /// Takes the lock `path`. Throws RunError "OUT: another 'epochcast-jobs WHAT' is at work" where
  /// it is still held after `patience_s`.
  FolderLock(const std::filesystem::path& path, const char* what,
             FileLock::Inherit inherit = FileLock::Inherit::no, double patience_s = 0);

 private:
  FileLock lock_;
};

}  // namespace epochcast::jobs
