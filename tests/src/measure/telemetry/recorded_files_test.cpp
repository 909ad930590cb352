// The readers of /proc and /sys on recorded files.
#include <gtest/gtest.h>

#include "src/measure/telemetry/cgroup.hpp"
#include "src/measure/telemetry/cpu_times.hpp"
#include "src/measure/telemetry/energy.hpp"
#include "src/measure/telemetry/files.hpp"
#include "src/measure/telemetry/pressure.hpp"
#include "src/measure/telemetry/process_usage.hpp"
#include "tests/src/measure/telemetry/machine_files.hpp"

namespace epochcast::telemetry {
namespace {

constexpr double ticks_per_s = 100;

TEST(CpuTimes, AreOfEachCpu) {
  const MachineFiles files;
  files.write("proc/stat", proc_stat(100, 900));
  const auto cpus = read_cpu_times(files.root(), ticks_per_s);
  ASSERT_EQ(cpus.size(), 2u);
  EXPECT_DOUBLE_EQ(cpus.at(0).busy_s, 1.3);
  EXPECT_DOUBLE_EQ(cpus.at(0).interrupt_s, 0.1);
  EXPECT_DOUBLE_EQ(cpus.at(0).steal_s, 0.5);
  EXPECT_DOUBLE_EQ(cpus.at(1).busy_s, 9);
}

TEST(CpuTimes, NeedNotHaveAllColumns) {
  const MachineFiles files;
  files.write("proc/stat", "cpu  1 2 3 4\ncpu7 100 0 20 4\n");
  EXPECT_DOUBLE_EQ(read_cpu_times(files.root(), ticks_per_s).at(7).busy_s, 1.2);
}

TEST(CpuTimes, AreNoneWhereNothingIsCounted) {
  const MachineFiles files;
  EXPECT_TRUE(read_cpu_times(files.root(), ticks_per_s).empty());
  files.write("proc/stat", "cpu  0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0\n");
  EXPECT_TRUE(read_cpu_times(files.root(), ticks_per_s).empty());
  files.write("proc/stat", "nonsense");
  EXPECT_TRUE(read_cpu_times(files.root(), ticks_per_s).empty());
}

TEST(ProcessUsage, IsReadFromStatStatusAndIo) {
  const MachineFiles files;
  files.write_process("self", 'R', 100, 12);
  const auto usage = read_process_usage(files.root(), Processes::own, ticks_per_s);
  EXPECT_DOUBLE_EQ(usage.cpu_s.value(), 2.0);  // user 100, system 50, children 20 + 30
  EXPECT_EQ(usage.major_faults, 12);
  EXPECT_EQ(usage.resident_bytes, 2048 * 1024);
  EXPECT_EQ(usage.swapped_bytes, 4096);
  EXPECT_EQ(usage.read_bytes, 8192);
  EXPECT_EQ(usage.written_bytes, 4096);
  EXPECT_FALSE(usage.is_stopped);
}

TEST(ProcessUsage, ANewPeakOfAProcessCountsBetweenTwoSamples) {
  const auto usage = [](double now, const std::map<int, ResidentMemory>& of) {
    ProcessUsage found;
    found.resident_bytes = now;
    found.resident_of = of;
    return found;
  };
  const auto before = usage(130, {{1, {30, 40}}, {2, {100, 100}}});
  EXPECT_EQ(most_resident_between(before, usage(130, {{1, {30, 40}}, {2, {100, 100}}})), 130)
      << "peaks of before do not count again";
  EXPECT_EQ(most_resident_between(before, usage(130, {{1, {30, 40}}, {2, {100, 170}}})), 200);
  EXPECT_EQ(
      most_resident_between(before, usage(140, {{1, {30, 40}}, {2, {100, 100}}, {3, {10, 15}}})),
      145)
      << "of a process that began meanwhile";
  EXPECT_FALSE(most_resident_between(before, {}));

  const auto root = std::filesystem::path("/");
  const auto start = read_process_usage(root, Processes::own, ticks_per_s);
  std::vector<char>(std::size_t{300} << 20, 'x').back() = 'y';
  const auto end = read_process_usage(root, Processes::own, ticks_per_s);
  ASSERT_EQ(end.resident_of.size(), 1u);
  EXPECT_GT(*most_resident_between(start, end), *start.resident_bytes + 200e6);
}

TEST(ProcessUsage, IsEmptyWhereNothingTellsIt) {
  const MachineFiles files;
  const auto usage = read_process_usage(files.root(), Processes::own, ticks_per_s);
  EXPECT_FALSE(usage.cpu_s || usage.resident_bytes || usage.read_bytes);
}

TEST(ProcessUsage, OfATreeIsTheSumOfAllBelow) {
  const MachineFiles files;
  files.write_process("self", 'S', 0);
  files.write_children("self", "10", "");
  files.write_children("self", "11", "20 21 ");
  files.write_process("20", 'S', 300);
  files.write_children("20", "20", "30 ");
  files.write_process("21", 'R', 0);
  files.write_children("21", "21", "");
  files.write_process("30", 'S', 500);
  files.write_children("30", "30", "");
  const auto usage = read_process_usage(files.root(), Processes::tree, ticks_per_s);
  EXPECT_DOUBLE_EQ(usage.cpu_s.value(), 4 * 1.0 + 8.0);
  EXPECT_EQ(usage.below.size(), 3u);
  EXPECT_FALSE(usage.is_stopped);
}

TEST(ProcessUsage, OfATreeIsStoppedIfAllBelowAre) {
  const MachineFiles files;
  files.write_process("self", 'S', 0);
  files.write_children("self", "10", "20 21");
  files.write_process("20", 'T', 0);
  files.write_process("21", 'T', 0);
  EXPECT_TRUE(read_process_usage(files.root(), Processes::tree, ticks_per_s).is_stopped);
  files.write_process("21", 'S', 0);
  EXPECT_FALSE(read_process_usage(files.root(), Processes::tree, ticks_per_s).is_stopped);
}

TEST(ProcessUsage, OfATreeIsUnknownIfTheKernelDoesNotTellChildren) {
  const MachineFiles files;
  files.write_process("self", 'S', 100);
  files.write("proc/self/task/10/comm", "x");
  EXPECT_FALSE(read_process_usage(files.root(), Processes::tree, ticks_per_s).cpu_s);
}

TEST(ProcessUsage, OfATreeHasTheThreadsOfTheProgramOnly) {
  const MachineFiles files;
  for (const auto& [pid, children] : {std::pair{"self", "20 21"}, {"20", ""}, {"21", "30"}}) {
    files.write_process(pid, 'S', 0);
    files.write_children(pid, pid, children);
    files.write_thread(pid, pid == std::string("self") ? "10" : pid, 100, 7);
  }
  files.write_process("30", 'R', 0);
  files.write_thread("30", "31", 2000, 1250);
  const auto usage = read_process_usage(files.root(), Processes::tree, ticks_per_s, 20);
  ASSERT_EQ(usage.threads.size(), 2u);
  EXPECT_NEAR(usage.threads.at(21).waited_s, 0.007, 1e-12);
  EXPECT_NEAR(usage.threads.at(31).ran_s, 2, 1e-12);
  EXPECT_NEAR(usage.threads.at(31).waited_s, 1.25, 1e-12);
}

TEST(ProcessUsage, TellsHowLongTheThreadThatWaitedLongestWaited) {
  const auto at = [](double cpu_s, std::map<int, ThreadTimes> threads) {
    ProcessUsage usage;
    usage.cpu_s = cpu_s;
    usage.threads = std::move(threads);
    return usage;
  };
  const auto before = at(10, {{1, {6, 2}}, {2, {4, 3}}});
  EXPECT_EQ(waited_between(before, at(12, {{1, {7, 2.25}}, {2, {5, 3.5}}})), 0.5);
  EXPECT_EQ(waited_between(before, at(12, {{1, {7, 2.25}}, {3, {1, 0.75}}})), 0.75) << "a new one";
  EXPECT_EQ(waited_between(before, at(12, {{1, {6.5, 2.25}}})), std::nullopt)
      << "most of the time was that of threads that have ended";
  EXPECT_EQ(waited_between(before, at(10, {{1, {6, 2}}, {2, {4, 3}}})), 0) << "it slept";
  EXPECT_EQ(waited_between(at(10, {}), at(12, {})), std::nullopt) << "a kernel without these times";
}

TEST(Cgroup, OfVersion2IsThatOfTheProcessAndAllAbove) {
  const MachineFiles files;
  files.write("proc/self/cgroup", "0::/slurm/job_7/step_0\n");
  files.write("proc/self/mountinfo",
              "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
              "31 23 0:27 / /tmp rw - tmpfs tmpfs rw\n");
  const std::string job = "sys/fs/cgroup/slurm/job_7";
  files.write(job + "/step_0/cpu.stat", "usage_usec 9\n");
  files.write(job + "/step_0/memory.current", "1048576\n");
  files.write(job + "/cpu.stat", "usage_usec 9\nnr_throttled 4\nthrottled_usec 2500000\n");
  files.write(job + "/memory.events", "low 0\nhigh 3\nmax 4\noom 0\n");
  const auto folders = find_cgroups(files.root());
  ASSERT_EQ(folders.unified.size(), 4u);
  EXPECT_TRUE(folders.cpu_v1.empty() && folders.memory_v1.empty());
  const auto usage = read_cgroups(folders);
  EXPECT_DOUBLE_EQ(usage.throttled_s.value(), 2.5);
  EXPECT_EQ(usage.memory_bytes, 1048576);
  EXPECT_EQ(usage.memory_limit_hits, 7);
}

TEST(Cgroup, OfVersion1HasAFolderForEachController) {
  const MachineFiles files;
  files.write("proc/self/cgroup", "4:memory:/job\n2:cpu,cpuacct:/slow\n0::/\n");
  files.write("proc/self/mountinfo",
              "30 23 0:26 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
              "31 23 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
              "32 23 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  files.write("sys/fs/cgroup/cpu,cpuacct/slow/cpu.stat",
              "nr_periods 10\nnr_throttled 9\nthrottled_time 1500000000\n");
  files.write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "67108864\n");
  files.write("sys/fs/cgroup/memory/job/memory.failcnt", "12\n");
  files.write("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "67100000\n");
  files.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  files.write("sys/fs/cgroup/memory/memory.failcnt", "1000\n");  // no limit, so no hits
  const auto usage = read_cgroups(find_cgroups(files.root()));
  EXPECT_DOUBLE_EQ(usage.throttled_s.value(), 1.5);
  EXPECT_EQ(usage.memory_bytes, 67100000);
  EXPECT_EQ(usage.memory_limit_hits, 12);
}

TEST(Cgroup, InAContainerIsTheMountedPart) {
  const MachineFiles files;
  files.write("proc/self/cgroup", "0::/docker/abc\n");
  files.write("proc/self/mountinfo",
              "30 23 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
  files.write("sys/fs/cgroup/cpu.stat", "throttled_usec 1000000\n");
  EXPECT_DOUBLE_EQ(read_cgroups(find_cgroups(files.root())).throttled_s.value(), 1);
}

TEST(Cgroup, MayBeMissing) {
  const MachineFiles files;
  const auto usage = read_cgroups(find_cgroups(files.root()));
  EXPECT_FALSE(usage.throttled_s || usage.memory_bytes || usage.memory_limit_hits);
}

constexpr auto pressure_text =
    "some avg10=0.23 avg60=5.42 avg300=8.69 total=91094717\n"
    "full avg10=0.00 avg60=0.00 avg300=0.00 total=5\n";

TEST(Pressure, IsThatOfTheCgroupBeforeThatOfTheNode) {
  const MachineFiles files;
  EXPECT_EQ(find_pressure(files.root(), {}).of, "");
  files.write("proc/pressure/cpu", pressure_text);
  EXPECT_EQ(find_pressure(files.root(), {}).of, "node");
  EXPECT_EQ(find_pressure(files.root(), files.root() / "job").of, "node");
  files.write("job/cpu.pressure", pressure_text);
  files.write("job/memory.pressure", "some avg10=0 avg60=0 avg300=0 total=2000000\n");
  const auto found = find_pressure(files.root(), files.root() / "job");
  EXPECT_EQ(found.of, "cgroup");
  const auto pressure = read_pressure(found);
  EXPECT_DOUBLE_EQ(pressure.cpu_s.value(), 91.094717);
  EXPECT_DOUBLE_EQ(pressure.memory_s.value(), 2);
  EXPECT_FALSE(pressure.io_s);
}

void write_zone(const MachineFiles& files, const std::string& zone, const std::string& name,
                const std::string& energy_uj) {
  const auto folder = "sys/class/powercap/" + zone;
  files.write(folder + "/name", name + "\n");
  files.write(folder + "/energy_uj", energy_uj + "\n");
  files.write(folder + "/max_energy_range_uj", "10000000\n");
}

TEST(Energy, IsTheSumOverThePackages) {
  const MachineFiles files;
  write_zone(files, "intel-rapl:0", "package-0", "1000000");
  write_zone(files, "intel-rapl:1", "package-1", "9000000");
  write_zone(files, "intel-rapl:0:0", "core", "1");
  write_zone(files, "intel-rapl:0:1", "dram", "500000");
  write_zone(files, "intel-rapl-mmio:0", "package-0", "1000000");
  EnergyCounters counters(files.root());
  EXPECT_EQ(counters.read().package_j, 0);
  write_zone(files, "intel-rapl:0", "package-0", "3000000");
  write_zone(files, "intel-rapl:1", "package-1", "500000");  // began again after 10 J
  write_zone(files, "intel-rapl:0:1", "dram", "750000");
  write_zone(files, "intel-rapl-mmio:0", "package-0", "3000000");
  EXPECT_DOUBLE_EQ(counters.read().package_j.value(), 2 + 1.5);
  EXPECT_DOUBLE_EQ(counters.read().dram_j.value(), 0.25);
}

TEST(Energy, IsEmptyWithoutCounters) {
  const MachineFiles files;
  EXPECT_FALSE(EnergyCounters(files.root()).read().package_j);
  files.write("sys/class/powercap/intel-rapl:0/name", "package-0\n");  // energy_uj: only for root
  EXPECT_FALSE(EnergyCounters(files.root()).read().package_j);
}

TEST(SmallFiles, AreReadWhole) {
  const MachineFiles files;
  const std::string text(100000, 'x');
  files.write("large", text);
  EXPECT_EQ(read_small_file(files.root() / "large"), text);
  EXPECT_EQ(read_small_file(files.root() / "none"), "");
  EXPECT_EQ(number_after("ab 1\nb 2\n", "b"), 2);
  EXPECT_FALSE(number_after("b: 2\n", "b"));
}

}  // namespace
}  // namespace epochcast::telemetry
