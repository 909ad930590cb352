// A lock file: one holder at a time among all processes of a machine, and of several machines if
// their file system supports flock. The kernel releases the lock when its holder ends.
#pragma once

#include <filesystem>

#include "src/base/core/descriptor.hpp"

namespace epochcast {

class FileLock {
 public:
  enum class Inherit {
    no,
    children  ///< Programs that this process starts also hold it, even after this object is
              ///< destroyed.
  };

  /// Opens the file and creates it if necessary; does not lock it yet. Throws RunError if the file
  /// cannot be written.
  explicit FileLock(const std::filesystem::path& path, Inherit inherit = Inherit::no);

  /// Waits until this object holds the lock. Throws RunError if the file system has no locks, or at
  /// a signal to end that the program blocks.
  void lock();
  /// Waits at most `patience_s` seconds, or until such a signal; returns whether this object holds
  /// the lock. Throws RunError if the file system has no locks.
  bool try_lock_for(double patience_s);
  void unlock();

 private:
  std::filesystem::path path_;
  Descriptor descriptor_;
};

/// Whether any process holds the lock at `path`.
bool is_locked(const std::filesystem::path& path);

}  // namespace epochcast
