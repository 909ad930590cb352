#include "src/measure/telemetry/counter_reader.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "src/base/core/lists.hpp"
#include "src/measure/telemetry/disturbance.hpp"
#include "src/measure/telemetry/files.hpp"

namespace epochcast::telemetry {
namespace {

constexpr double kib_bytes = 1024;

/// The rise of a counter; NaN if it is not reported. It falls where processes leave a tree.
double rise(std::optional<double> before, std::optional<double> after) {
  return before && after ? std::max(0.0, *after - *before) : record::not_measured;
}

double value_or_nan(std::optional<double> value) {
  return value.value_or(record::not_measured);
}

/// The folder of the process's cgroup of version 2; empty if it is in the root, whose pressure is
/// that of the node.
std::filesystem::path own_cgroup(const CgroupFolders& folders) {
  return folders.unified.size() > 1 ? folders.unified.front() : std::filesystem::path();
}

CpuTimes cpu_sum(const std::map<int, CpuTimes>& times, const std::vector<int>& cpus) {
  CpuTimes sum;
  for (const int cpu : cpus) {
    if (const auto found = times.find(cpu); found != times.end()) {
      sum.busy_s += found->second.busy_s;
      sum.interrupt_s += found->second.interrupt_s;
      sum.steal_s += found->second.steal_s;
    }
  }
  return sum;
}

std::vector<int> all_cpus(const std::map<int, CpuTimes>& times) {
  return keys_in(times);
}

void set_cpus(const std::map<int, CpuTimes>& before, const std::map<int, CpuTimes>& after,
              const std::vector<int>& cpus, record::Telemetry& row) {
  row.cpus = std::ssize(cpus);
  row.node_cpus = std::ssize(after);
  if (before.empty() || after.empty()) {
    return;
  }
  const auto from = cpu_sum(before, cpus);
  const auto to = cpu_sum(after, cpus);
  row.cpus_busy_s = rise(from.busy_s, to.busy_s);
  row.cpus_interrupt_s = rise(from.interrupt_s, to.interrupt_s);
  row.cpus_steal_s = rise(from.steal_s, to.steal_s);
  const auto node_from = cpu_sum(before, all_cpus(after));
  const auto node_to = cpu_sum(after, all_cpus(after));
  row.node_busy_s =
      rise(node_from.busy_s + node_from.interrupt_s, node_to.busy_s + node_to.interrupt_s);
}

void set_process(const ProcessUsage& before, const ProcessUsage& after, record::Telemetry& row) {
  row.own_cpu_s = rise(before.cpu_s, after.cpu_s);
  row.major_faults = rise(before.major_faults, after.major_faults);
  row.read_bytes = rise(before.read_bytes, after.read_bytes);
  row.written_bytes = rise(before.written_bytes, after.written_bytes);
  row.resident_bytes = value_or_nan(most_resident_between(before, after));
  row.swapped_bytes = value_or_nan(after.swapped_bytes);
  row.stopped_s = before.is_stopped && after.is_stopped ? row.duration_s : 0;
}

}  // namespace

CounterReader::CounterReader(Sources sources, double now_s)
    : sources_(std::move(sources)),
      ticks_per_s_(static_cast<double>(sysconf(_SC_CLK_TCK))),
      cgroups_(find_cgroups(sources_.root)),
      pressure_files_(find_pressure(sources_.root, own_cgroup(cgroups_))),
      energy_(sources_.root),
      gpus_(sources_.gpus, sources_.nvml),
      neighbours_(sources_.root, sources_.cpus, ticks_per_s_),
      last_(read_all(now_s)),
      last_of_cpus_(last_) {
  gpus_.read(0, {});  // sets the energy counters
}

CounterReader::Reading CounterReader::read_all(double now_s) {
  return {.at_s = now_s,
          .cpus = read_cpu_times(sources_.root, ticks_per_s_),
          .process =
              read_process_usage(sources_.root, sources_.processes, ticks_per_s_, sources_.helper),
          .cgroup = read_cgroups(cgroups_),
          .pressure = read_pressure(pressure_files_),
          .energy = energy_.read()};
}

Sample CounterReader::read(double now_s) {
  constexpr long samples_with_cpus = 600;
  constexpr long then_every = 10;
  const auto now = read_all(now_s);
  Sample sample;
  auto& row = sample.machine;
  row.end_s = now_s;
  row.duration_s = std::max(0.0, now_s - last_.at_s);
  set_cpus(last_.cpus, now.cpus, sources_.cpus, row);
  set_process(last_.process, now.process, row);
  set_wait(last_.process, now.process, row);
  name_neighbour(row);
  row.throttled_s = rise(last_.cgroup.throttled_s, now.cgroup.throttled_s);
  row.memory_limit_hits = rise(last_.cgroup.memory_limit_hits, now.cgroup.memory_limit_hits);
  row.cgroup_memory_bytes = value_or_nan(now.cgroup.memory_bytes);
  row.cpu_stall_s = rise(last_.pressure.cpu_s, now.pressure.cpu_s);
  row.memory_stall_s = rise(last_.pressure.memory_s, now.pressure.memory_s);
  row.io_stall_s = rise(last_.pressure.io_s, now.pressure.io_s);
  row.stalls_of = pressure_files_.of;
  row.package_energy_j = rise(last_.energy.package_j, now.energy.package_j);
  row.dram_energy_j = rise(last_.energy.dram_j, now.energy.dram_j);
  if (const auto available =
          number_after(read_small_file(sources_.root / "proc/meminfo"), "MemAvailable:")) {
    row.node_available_bytes = *available * kib_bytes;
  }
  if (!gpus_.empty()) {
    auto own = now.process.below;
    own.push_back(getpid());
    sample.gpus = gpus_.read(row.duration_s, own);
    for (auto& gpu : sample.gpus) {
      gpu.end_s = now_s;
    }
  }
  last_ = now;
  ++samples_;
  if (samples_ <= samples_with_cpus || samples_ % then_every == 0) {
    sample.cpus = cpu_rows(now);
  }
  return sample;
}

/// A program that has ended takes the times of its threads with it: its last sample has the rate of
/// the one before.
void CounterReader::set_wait(const ProcessUsage& before, const ProcessUsage& after,
                             record::Telemetry& row) {
  const auto waited_s = waited_between(before, after);
  row.cpu_wait_s = waited_s ? *waited_s : last_wait_share_ * row.duration_s;
  last_wait_share_ = waited_s ? *waited_s / row.duration_s : record::not_measured;
}

void CounterReader::name_neighbour(record::Telemetry& row) {
  constexpr double tick_error_s = 0.03;
  const double other_s = row.cpus_busy_s - row.own_cpu_s;  // NaN: not measured
  const auto cpus = static_cast<double>(row.cpus);
  const bool disturbs = other_s > cpus * (epoch_limit * row.duration_s + tick_error_s);
  if (const auto found = neighbours_.sampled(
          row.end_s, std::isnan(other_s) ? 0 : std::max(0.0, other_s), disturbs)) {
    row.other_program = found->program;
    row.other_program_share = found->share;
  }
}

std::vector<record::CpuTelemetry> CounterReader::cpu_rows(const Reading& now) {
  std::vector<record::CpuTelemetry> rows;
  for (const int cpu : sources_.cpus) {
    const auto before = last_of_cpus_.cpus.find(cpu);
    const auto after = now.cpus.find(cpu);
    if (before == last_of_cpus_.cpus.end() || after == now.cpus.end()) {
      continue;
    }
    record::CpuTelemetry row{
        .end_s = now.at_s,
        .duration_s = std::max(0.0, now.at_s - last_of_cpus_.at_s),
        .cpu = cpu,
        .busy_s = rise(before->second.busy_s, after->second.busy_s),
        .interrupt_s = rise(before->second.interrupt_s, after->second.interrupt_s),
        .steal_s = rise(before->second.steal_s, after->second.steal_s)};
    if (tells_frequency_) {
      const auto kilohertz = first_number(read_small_file(
          sources_.root /
          fmt::format("sys/devices/system/cpu/cpu{}/cpufreq/scaling_cur_freq", cpu)));
      tells_frequency_ = kilohertz.has_value();  // virtual machines have no such file
      row.frequency_mhz = kilohertz ? *kilohertz / 1000 : record::not_measured;
    }
    rows.push_back(row);
  }
  last_of_cpus_ = now;
  return rows;
}

}  // namespace epochcast::telemetry
