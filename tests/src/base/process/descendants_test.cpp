#include "src/base/process/descendants.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace epochcast::process {
namespace {

TEST(EndDescendants, LeavesNoZombieOfAChildThatEndsMeanwhile) {
  for (int round = 0; round < 1000; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      usleep(static_cast<useconds_t>(round % 500));
      _exit(0);
    }
    ASSERT_GT(child, 0);
    usleep(100);
    EXPECT_EQ(end_descendants(1), 0);
    EXPECT_EQ(waitpid(child, nullptr, WNOHANG), -1) << "round " << round;
    EXPECT_EQ(errno, ECHILD);
  }
}

TEST(EndDescendants, EndsGrandchildrenThatFallToThisProcess) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t child = fork();
  if (child == 0) {
    if (fork() == 0) {
      while (true) {
        pause();
      }
    }
    _exit(0);
  }
  ASSERT_GT(child, 0);
  EXPECT_EQ(end_descendants(0), 0);
  EXPECT_TRUE(descendants_of(getpid()).empty());
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}

}  // namespace
}  // namespace epochcast::process
