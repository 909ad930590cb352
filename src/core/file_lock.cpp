#include "src/core/file_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "src/core/error.hpp"

namespace epochcast {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path) {
  throw RunError(fmt::format("{}: cannot be written: {}", path.string(), std::strerror(errno)));
}

}  // namespace

FileLock::FileLock(const std::filesystem::path& path, Inherit inherit)
    : path_(path),
      descriptor_(open(path.c_str(),
                       O_RDWR | O_CREAT | (inherit == Inherit::children ? 0 : O_CLOEXEC), 0666)) {
  if (descriptor_ < 0) {
    fail(path_);
  }
}

FileLock::~FileLock() {
  close(descriptor_);
}

void FileLock::lock() {
  while (flock(descriptor_, LOCK_EX) != 0) {
    if (errno != EINTR) {
      fail(path_);
    }
  }
}

bool FileLock::try_lock_for(double patience_s) {
  constexpr auto pause = std::chrono::milliseconds(100);
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(patience_s);
  while (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      fail(path_);
    }
    if (std::chrono::steady_clock::now() >= end) {
      return false;
    }
    std::this_thread::sleep_for(pause);
  }
  return true;
}

void FileLock::unlock() {
  flock(descriptor_, LOCK_UN);
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

}  // namespace epochcast
