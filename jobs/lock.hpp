// A lock on an output folder, held as long as the object, or as any child of this process that
// inherited it, lives.
#pragma once

#include <filesystem>

namespace epochcast::jobs {

class FolderLock {
 public:
  enum class Inherit { no, children };

  /// Takes the lock `path`. Throws RunError "OUT: another 'epochcast-jobs WHAT' is at work" where
  /// it is still held after `patience_s`.
  FolderLock(const std::filesystem::path& path, const char* what, Inherit inherit = Inherit::no,
             double patience_s = 0);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

/// Whether somebody holds the lock `path`.
bool is_locked(const std::filesystem::path& path);

}  // namespace epochcast::jobs
