#include "src/measure/telemetry/counter_reader.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/src/measure/telemetry/machine_files.hpp"

namespace epochcast::telemetry {
namespace {

TEST(CounterReader, TellsWhatHappenedSinceTheSampleBefore) {
  const MachineFiles files;
  files.write("proc/stat", proc_stat(100, 900));
  files.write_process("self", 'R', 100, 5);
  files.write("proc/meminfo", "MemTotal: 10 kB\nMemAvailable:   2048 kB\n");
  files.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "2400000\n");
  CounterReader reader({.cpus = {0}, .root = files.root()}, 10);
  files.write("proc/stat", proc_stat(160, 1000));
  files.write_process("self", 'R', 140, 9);
  const auto sample = reader.read(11);
  const auto& row = sample.machine;
  EXPECT_DOUBLE_EQ(row.end_s, 11);
  EXPECT_DOUBLE_EQ(row.duration_s, 1);
  EXPECT_EQ(row.cpus, 1);
  EXPECT_EQ(row.node_cpus, 2);
  EXPECT_NEAR(row.cpus_busy_s, 0.6, 1e-9);
  EXPECT_NEAR(row.node_busy_s, 1.6, 1e-9);
  EXPECT_NEAR(row.own_cpu_s, 0.4, 1e-9);
  EXPECT_EQ(row.major_faults, 4);
  EXPECT_EQ(row.node_available_bytes, 2048 * 1024);
  ASSERT_EQ(sample.cpus.size(), 1u);
  EXPECT_EQ(sample.cpus[0].cpu, 0);
  EXPECT_NEAR(sample.cpus[0].busy_s, 0.6, 1e-9);
  EXPECT_EQ(sample.cpus[0].frequency_mhz, 2400);
  EXPECT_TRUE(sample.gpus.empty());
  for (const double missing : {row.throttled_s, row.cpu_stall_s, row.memory_limit_hits,
                               row.package_energy_j, row.dram_energy_j}) {
    EXPECT_TRUE(std::isnan(missing));
  }
}

TEST(CounterReader, ThinsTheRowsOfCpusOutInALongRunAndLosesNoTime) {
  const MachineFiles files;
  files.write("proc/stat", proc_stat(0, 0));
  CounterReader reader({.cpus = {1}, .root = files.root()}, 0);
  std::size_t rows = 0;
  double time_s = 0;
  double busy_s = 0;
  for (int second = 1; second <= 1000; ++second) {
    files.write("proc/stat", proc_stat(0, 50L * second));
    for (const auto& row : reader.read(second).cpus) {
      ++rows;
      time_s += row.duration_s;
      busy_s += row.busy_s;
    }
  }
  EXPECT_EQ(rows, 600u + 40u);
  EXPECT_DOUBLE_EQ(time_s, 1000);
  EXPECT_NEAR(busy_s, 500, 1e-6);
}

TEST(CounterReader, TheLastSampleOfAProgramHasTheWaitOfTheOneBefore) {
  const MachineFiles files;
  files.write_process("self", 'S', 0);
  files.write_children("self", "self", "20");
  files.write_process("20", 'R', 100);
  files.write_thread("20", "20", 1000, 500);
  CounterReader reader({.cpus = {0}, .processes = Processes::tree, .root = files.root()}, 0);
  files.write_process("20", 'R', 200);
  files.write_thread("20", "20", 2000, 700);
  EXPECT_NEAR(reader.read(1).machine.cpu_wait_s, 0.2, 1e-9);
  files.remove("proc/20");
  files.write_process("self", 'S', 250);
  EXPECT_NEAR(reader.read(1.5).machine.cpu_wait_s, 0.1, 1e-9);
  EXPECT_TRUE(std::isnan(reader.read(2).machine.cpu_wait_s));
}

TEST(CounterReader, ACounterThatFellTellsNothingBelowZero) {
  const MachineFiles files;
  files.write("proc/stat", proc_stat(100, 100));
  files.write_process("self", 'R', 500);
  CounterReader reader({.cpus = {0}, .root = files.root()}, 0);
  files.write_process("self", 'R', 100);
  EXPECT_EQ(reader.read(1).machine.own_cpu_s, 0);
}

TEST(CounterReader, ReadsThisMachine) {
  CounterReader reader({.cpus = {0}}, 0);
  const auto row = reader.read(1).machine;
  EXPECT_GE(row.own_cpu_s, 0);
  EXPECT_GT(row.resident_bytes, 1e6);
  EXPECT_GT(row.node_available_bytes, 1e6);
}

}  // namespace
}  // namespace epochcast::telemetry
