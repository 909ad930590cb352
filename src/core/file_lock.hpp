// A lock that is a file: one holder at a time among all processes of a machine, and of several
// machines where their file system carries flock. The kernel frees it when its holder dies.
#pragma once

#include <filesystem>

namespace epochcast {

class FileLock {
 public:
  enum class Inherit {
    no,
    children  ///< Programs that this process starts hold it too, after this object has gone.
  };

  /// Opens the file, which it makes if there is none; nothing is locked yet. Throws RunError
  /// where it cannot be written.
  explicit FileLock(const std::filesystem::path& path, Inherit inherit = Inherit::no);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  /// Waits until it is ours. Throws RunError if the file system has no locks.
  void lock();
  /// The same for `patience_s` seconds at most; whether it is ours.
  bool try_lock_for(double patience_s);

 private:
  std::filesystem::path path_;
  int descriptor_;
};

/// Whether somebody holds the lock `path`.
bool is_locked(const std::filesystem::path& path);

}  // namespace epochcast
