#include "jobs/lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "src/core/error.hpp"

namespace epochcast::jobs {

namespace {

bool take(int descriptor, double patience_s) {
  constexpr auto pause = std::chrono::milliseconds(100);
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(patience_s);
  while (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (std::chrono::steady_clock::now() >= end) {
      return false;
    }
    std::this_thread::sleep_for(pause);
  }
  return true;
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& path, const char* what, Inherit inherit,
                       double patience_s)
    : descriptor_(open(path.c_str(),
                       O_RDWR | O_CREAT | (inherit == Inherit::children ? 0 : O_CLOEXEC), 0666)) {
  if (descriptor_ < 0) {
    throw RunError(fmt::format("{}: cannot be written: {}", path.string(), std::strerror(errno)));
  }
  if (!take(descriptor_, patience_s)) {
    close(descriptor_);
    throw RunError(fmt::format("{}: another 'epochcast-jobs {}' is at work here",
                               path.parent_path().string(), what));
  }
}

FolderLock::~FolderLock() {
  close(descriptor_);
}

bool is_locked(const std::filesystem::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    return false;
  }
  const bool held = flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(descriptor);
  return held;
}

}  // namespace epochcast::jobs
