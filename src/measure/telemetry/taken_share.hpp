// What share of an epoch each cause took from the run.
#pragma once

#include <array>
#include <optional>

#include "src/record/record.hpp"

namespace epochcast::telemetry {

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
inline constexpr std::array all_causes{
    Cause::other_processes, Cause::steal,         Cause::throttling, Cause::stop,
    Cause::memory,          Cause::gpu_processes, Cause::gpu_heat};

/// The time of all CPUs that samples cover.
double cpu_time_s(const record::EpochUsage& usage);

/// The share of the epoch that `cause` took from the run, 0 to 1; std::nullopt if that was not
/// measured, or if samples cover less than half of the epoch.
///
/// Others took the time for which a thread of the run waited for a CPU, but at most what they used.
/// Where that wait was not measured, they took what left the run fewer CPUs than it has threads. In
/// both, 30 ms a CPU are taken off their use, for the 10 ms ticks in which the kernel counts.
/// Waiting for memory counts if the pressure is that of the run's own cgroup, or if the run itself
/// reads pages back (10 faults a second); where the kernel reports no pressure, 100 faults a second
/// while a memory limit is met count as a tenth of the time.
std::optional<double> taken_share(const record::EpochUsage& usage, Cause cause);

/// The most that one cause took; std::nullopt if none of them was measured.
std::optional<double> most_taken_share(const record::EpochUsage& usage);

}  // namespace epochcast::telemetry
