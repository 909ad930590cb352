#include "src/base/core/file_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <limits>
#include <thread>

#include "src/base/core/error.hpp"

namespace epochcast {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path) {
  throw RunError(fmt::format("{}: cannot be written: {}", path.string(), std::strerror(errno)));
}

[[noreturn]] void fail_to_lock(const std::filesystem::path& path) {
  throw RunError(
      fmt::format("{}: its file system locks no files ({}); use a folder of another one, or mount "
                  "it with locks (NFS: without 'nolock'; Lustre: with 'flock')",
                  path.string(), std::strerror(errno)));
}

/// Who may only read the file must not be able to lock it, and hold up those who may write.
void let_only_writers_open(int file) {
  struct stat found {};
  if (fstat(file, &found) == 0 && found.st_uid == geteuid()) {
    constexpr mode_t writers = 0222;
    fchmod(file, (found.st_mode & writers) | (found.st_mode & writers) << 1U);
  }
}

/// A signal to end that this program holds back, and would heed only after the wait.
bool shall_end() {
  sigset_t pending{};
  sigpending(&pending);
  return sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1 ||
         sigismember(&pending, SIGHUP) == 1;
}

}  // namespace

FileLock::FileLock(const std::filesystem::path& path, Inherit inherit)
    : path_(path),
      descriptor_(open(path.c_str(),
                       O_RDWR | O_CREAT | (inherit == Inherit::children ? 0 : O_CLOEXEC), 0666)) {
  if (descriptor_.number() < 0) {
    fail(path_);
  }
  let_only_writers_open(descriptor_.number());
}

void FileLock::lock() {
  if (!try_lock_for(std::numeric_limits<double>::infinity())) {
    throw RunError(path_.string() + ": a signal ended the wait for this lock");
  }
}

bool FileLock::try_lock_for(double patience_s) {
  constexpr auto pause = std::chrono::milliseconds(100);
  const auto start = std::chrono::steady_clock::now();
  const std::chrono::duration<double> patience(patience_s);
  while (flock(descriptor_.number(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      fail_to_lock(path_);
    }
    if (std::chrono::steady_clock::now() - start >= patience || shall_end()) {
      return false;
    }
    std::this_thread::sleep_for(pause);
  }
  return true;
}

void FileLock::unlock() {
  flock(descriptor_.number(), LOCK_UN);
}

bool is_locked(const std::filesystem::path& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file.number() >= 0 && flock(file.number(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace epochcast
