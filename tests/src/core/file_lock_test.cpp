#include "src/core/file_lock.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <optional>

#include "tests/files.hpp"

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

TEST(FileLock, ReportsWhereItCannotBe) {
  const TemporaryFolder folder;
  EXPECT_EQ(error_of([&] { FileLock(folder / "missing/lock"); }),
            folder / "missing/lock: cannot be written: No such file or directory");
}

}  // namespace
}  // namespace epochcast
