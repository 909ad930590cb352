#include "src/base/core/file_lock.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <optional>

#include "tests/files.hpp"

namespace {
bool has_locks = true;
}

/// In place of the C library's: a file system mounted without locks.
extern "C" int flock(int file, int operation) noexcept {
  if (!has_locks) {
    errno = ENOLCK;
    return -1;
  }
  return static_cast<int>(syscall(SYS_flock, file, operation));
}

namespace epochcast {
namespace {

TEST(FileLock, HasOneHolderAtATime) {
  const TemporaryFolder folder;
  const auto path = folder / "lock";
  EXPECT_FALSE(is_locked(path)) << "there is no such file yet";
  std::optional<FileLock> first(path);
  EXPECT_FALSE(is_locked(path)) << "opened, not locked";
  first->lock();
  FileLock second(path);
  EXPECT_FALSE(second.try_lock_for(0));
  EXPECT_TRUE(is_locked(path));
  first.reset();
  EXPECT_TRUE(second.try_lock_for(0));
}

TEST(FileLock, IsHeldByChildrenOnlyWhereTheyAreToInheritIt) {
  const TemporaryFolder folder;
  const auto path = folder / "lock";
  for (const auto inherit : {FileLock::Inherit::no, FileLock::Inherit::children}) {
    std::optional<FileLock> lock(std::in_place, path, inherit);
    lock->lock();
    std::FILE* const child = popen("read line", "w");  // ends with its input
    ASSERT_NE(child, nullptr);
    lock.reset();
    EXPECT_EQ(is_locked(path), inherit == FileLock::Inherit::children);
    pclose(child);
    EXPECT_FALSE(is_locked(path));
  }
}

/// Who may read a file may lock it, and would hold up its owner for ever.
TEST(FileLock, CanBeOpenedByThoseOnlyWhoMayWriteIt) {
  const TemporaryFolder folder;
  const auto path = folder / "lock";
  set_bytes(path, "");
  for (const auto& [before, after] : {std::pair{0644, 0600}, {0664, 0660}, {0666, 0666}}) {
    std::filesystem::permissions(path, std::filesystem::perms(before));
    const FileLock lock(path);
    EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms(after));
  }
}

TEST(FileLock, HeedsASignalToEndThatTheProgramBlocks) {
  const TemporaryFolder folder;
  FileLock held(folder / "lock");
  held.lock();
  FileLock waiting(folder / "lock");
  sigset_t signals{};
  sigset_t before{};
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, &before);
  pthread_kill(pthread_self(), SIGTERM);
  EXPECT_EQ(error_of([&] { waiting.lock(); }),
            folder / "lock: a signal ended the wait for this lock");
  EXPECT_FALSE(waiting.try_lock_for(1e9));
  int taken = 0;
  sigwait(&signals, &taken);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST(FileLock, ReportsWhereItCannotBe) {
  const TemporaryFolder folder;
  EXPECT_EQ(error_of([&] { FileLock(folder / "missing/lock"); }),
            folder / "missing/lock: cannot be written: No such file or directory");
}

TEST(FileLock, ReportsAFileSystemWithoutLocks) {
  const TemporaryFolder folder;
  FileLock lock(folder / "lock");
  has_locks = false;
  EXPECT_EQ(error_of([&] { lock.try_lock_for(0); }),
            folder /
                "lock: its file system locks no files (No locks available); use a folder of "
                "another one, or mount it with locks (NFS: without 'nolock'; Lustre: with "
                "'flock')");
  EXPECT_FALSE(is_locked(folder / "lock"));
  has_locks = true;
}

}  // namespace
}  // namespace epochcast
