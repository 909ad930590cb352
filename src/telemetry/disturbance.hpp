// Whether others disturbed a run, and how: a verdict over the usage of its epochs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/record/record.hpp"

namespace epochcast::telemetry {

/// An epoch is disturbed if a cause took more than this share of it ...
inline constexpr double epoch_limit = 0.05;
/// ... and a run, if its disturbed epochs lost more than this share of the time of all epochs.
inline constexpr double run_limit = 0.01;

/// What takes time from a run.
enum class Cause {
  other_processes,  ///< CPU time of others that the threads of the run could have used.
  steal,            ///< The hypervisor ran other machines.
  throttling,       ///< The CPU limit of the cgroup.
  stop,             ///< The process did not run at all.
  memory,           ///< Waiting for pages that a memory limit, or want of memory, had pushed out.
  gpu_processes,    ///< Other processes computed on the GPU.
  gpu_heat          ///< The GPU lowered its clock because of heat or its power supply.
};

/// The share of the epoch that `cause` took from the run, 0 to 1; std::nullopt if that was not
/// measured, or if samples tell of less than half of the epoch.
///
/// Of the CPU time of others, only that counts which leaves the run fewer CPUs than it has threads,
/// and 30 ms a CPU are taken off for the 10 ms ticks in which the kernel counts. Waiting for memory
/// counts if the pressure is that of the run's own cgroup, or if the run itself reads pages back
/// (10 faults a second); where the kernel reports no pressure, 100 faults a second while a memory
/// limit is met count as a tenth of the time.
std::optional<double> taken_share(const record::EpochUsage& usage, Cause cause);

/// The most that one cause took; std::nullopt if none of them was measured.
std::optional<double> most_taken_share(const record::EpochUsage& usage);

struct Disturbance {
  double lost_share = 0;             ///< Of the time of all epochs.
  std::vector<std::int64_t> epochs;  ///< The disturbed ones, from 0, rising; -1: a whole command.
  /// "another process (apt-get) used 61 % of the 2 CPUs during epochs 2 to 5", causes joined by
  /// "; ". It is printable.
  std::string text;
};

/// std::nullopt if the run was not disturbed as far as was measured.
std::optional<Disturbance> find_disturbance(std::span<const record::EpochUsage> usage);

/// The text of find_disturbance(), or "".
std::string disturbance_text(const record::Record& record);

}  // namespace epochcast::telemetry
