#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "src/measure/telemetry/cgroup.hpp"

namespace epochcast::telemetry {
namespace {

namespace fs = std::filesystem;

class OomKills : public testing::Test {
 protected:
  ~OomKills() override { fs::remove_all(root_); }
  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  const fs::path root_ = fs::temp_directory_path() / ("epochcast-oom-" + std::to_string(getpid()));
};

TEST_F(OomKills, AreThoseOfTheCgroupOfEitherVersionOrOfTheMachine) {
  EXPECT_FALSE(oom_kills(root_)) << "nothing is counted";
  write("proc/vmstat", "pgfault 8\noom_kill 5\n");
  EXPECT_EQ(oom_kills(root_), 5);
  write("proc/self/mountinfo",
        "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
        "31 23 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  write("proc/self/cgroup", "0::/slurm/job_7\n");
  EXPECT_EQ(oom_kills(root_), 5) << "the controller of memory is off";
  write("sys/fs/cgroup/slurm/job_7/memory.events", "low 0\nmax 9\noom 2\noom_kill 1\n");
  EXPECT_EQ(oom_kills(root_), 1);
  write("proc/self/cgroup", "4:memory:/uid_1/job_7\n0::/slurm/none\n");
  write("sys/fs/cgroup/memory/uid_1/job_7/memory.oom_control",
        "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
  EXPECT_EQ(oom_kills(root_), 3);
}

}  // namespace
}  // namespace epochcast::telemetry
