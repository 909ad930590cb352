#include "src/measure/attempt/machine.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "src/base/core/text.hpp"
#include "src/base/process/allowed_cpus.hpp"

namespace epochcast::attempt {
namespace {

namespace fs = std::filesystem;

/// A machine of two sockets with two cores each and two threads a core, in a folder.
class MachineFiles : public testing::Test {
 protected:
  MachineFiles() {
    write(
        "proc/cpuinfo",
        "processor\t: 0\nmodel name\t: Made CPU @ 2.1 GHz\nprocessor\t: 1\nmodel name\t: other\n");
    write("proc/meminfo", "MemTotal:       24576000 kB\nMemFree:        100 kB\n");
    write("proc/loadavg", "1.25 0.50 0.10 1/234 5678\n");
    write("proc/self/status",
          "Name:\tmade\nVmPeak:\t  900000 kB\nVmHWM:\t  123456 kB\nVmRSS:\t    1000 kB\n");
    write("proc/sys/kernel/random/boot_id", "5d9c6e6e-0000-4000-8000-000000000001\n");
    write("etc/os-release", "NAME=\"Made\"\nPRETTY_NAME=\"Made Linux 12\"\n");
    for (int cpu = 0; cpu < 8; ++cpu) {
      const auto folder = "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/";
      write(folder + "topology/physical_package_id", std::to_string(cpu % 4 / 2) + "\n");
      write(folder + "topology/core_id", std::to_string(cpu % 2) + "\n");
      write(folder + "cpufreq/scaling_governor", "performance\n");
    }
    write("sys/devices/system/cpu/cpu8/online", "0\n");
    write("sys/devices/system/cpu/cpufreq/boost", "1\n");
  }
  ~MachineFiles() override { fs::remove_all(root); }

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text;
  }

  const fs::path root = testing::TempDir() + "machine." + std::to_string(getpid());
};

TEST_F(MachineFiles, IsReadFromItsFiles) {
  const auto machine = read_machine(root);
  EXPECT_EQ(machine.cpu_model.view(), "Made CPU @ 2.1 GHz");
  EXPECT_EQ(machine.boot_id.view(), "5d9c6e6e-0000-4000-8000-000000000001");
  EXPECT_EQ(machine.sockets, 2);
  EXPECT_EQ(machine.cores, 4);
  EXPECT_EQ(machine.hardware_threads, 8);
  EXPECT_EQ(machine.threads_per_core, 2);
  EXPECT_EQ(machine.governor.view(), "performance");
  EXPECT_EQ(machine.memory_bytes, 24576000LL * 1024);
  EXPECT_DOUBLE_EQ(machine.load_1min, 1.25);
  EXPECT_TRUE(machine.system.view().ends_with(", Made Linux 12"));
}

TEST_F(MachineFiles, ReportsTheMostMemoryThatTheProcessHeld) {
  EXPECT_EQ(peak_memory_bytes(root), 123456 * 1024);
  EXPECT_EQ(peak_memory_bytes(root / "nowhere"), 0);
}

TEST_F(MachineFiles, MayReportNothing) {
  const auto machine = read_machine(root / "nowhere");
  EXPECT_EQ(machine.cpu_model.view(), "");
  EXPECT_EQ(machine.boot_id.view(), "");
  EXPECT_EQ(machine.sockets, 0);
  EXPECT_EQ(machine.memory_bytes, 0);
}

TEST(Machine, HasTheAffinityOfThisProcess) {
  const auto cpus = process::allowed_cpus();
  ASSERT_FALSE(cpus.empty());
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpus.back(), &one);
  cpu_set_t before;
  sched_getaffinity(0, sizeof before, &before);
  sched_setaffinity(0, sizeof one, &one);
  const auto machine = read_machine();
  sched_setaffinity(0, sizeof before, &before);
  EXPECT_EQ(machine.cpus_allowed_count, 1);
  EXPECT_EQ(machine.cpus_allowed.view(), std::to_string(cpus.back()));
}

TEST(Machine, KnowsTheHashOfItsProgram) {
  const auto hash = own_binary_sha256();
  EXPECT_EQ(hash.size(), 64u);
  EXPECT_EQ(hash.find_first_not_of("0123456789abcdef"), std::string::npos);
}

TEST(Machine, RecordsTheVariablesThatAffectTimes) {
  EXPECT_EQ(
      environment_text({{"OMP_NUM_THREADS", "2"}, {"HOME", "/root"}, {"LOADEDMODULES", "cuda/12"}}),
      "LOADEDMODULES=cuda/12\nOMP_NUM_THREADS=2\n");
  EXPECT_EQ(environment_text({{"NCCL_SOCKET_IFNAME", "ib0"},
                              {"TORCH_NCCL_BLOCKING_WAIT", "1"},
                              {"PYTORCH_ALLOC_CONF", "x"},
                              {"CUBLAS_WORKSPACE_CONFIG", ":16:8"},
                              {"CUDNN_LOGLEVEL_DBG", "2"}}),
            "CUBLAS_WORKSPACE_CONFIG=:16:8\nCUDNN_LOGLEVEL_DBG=2\nNCCL_SOCKET_IFNAME=ib0\n"
            "PYTORCH_ALLOC_CONF=x\nTORCH_NCCL_BLOCKING_WAIT=1\n");
}

struct ListCase {
  std::vector<int> cpus;
  const char* text;
};
class CpuLists : public testing::TestWithParam<ListCase> {};
TEST_P(CpuLists, AreWrittenAsTheKernelDoes) {
  EXPECT_EQ(cpu_list(GetParam().cpus), GetParam().text);
}
INSTANTIATE_TEST_SUITE_P(Table, CpuLists,
                         testing::Values(ListCase{{}, ""}, ListCase{{3}, "3"},
                                         ListCase{{0, 1, 2, 3}, "0-3"},
                                         ListCase{{0, 2, 4}, "0,2,4"},
                                         ListCase{{0, 1, 8, 10, 11}, "0-1,8,10-11"}));

struct ThreadCase {
  std::int64_t wanted, slurm, allowed, threads;
};
class Threads : public testing::TestWithParam<ThreadCase> {};
TEST_P(Threads, ComeFromTheAllocation) {
  const auto& [wanted, slurm, allowed, threads] = GetParam();
  EXPECT_EQ(threads_to_use(wanted, slurm, allowed), threads);
}
INSTANTIATE_TEST_SUITE_P(Table, Threads,
                         testing::Values(ThreadCase{4, 8, 16, 4}, ThreadCase{0, 8, 64, 8},
                                         ThreadCase{0, 0, 6, 6}, ThreadCase{0, 16, 2, 2},
                                         ThreadCase{0, 0, 0, 1}));

}  // namespace
}  // namespace epochcast::attempt
