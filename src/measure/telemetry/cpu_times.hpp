// What the CPUs of the node did since it started: /proc/stat, in ticks of 10 ms.
#pragma once

#include <filesystem>
#include <map>

namespace epochcast::telemetry {

/// Seconds since the start of the node.
struct CpuTimes {
  double busy_s = 0;       ///< Programs: user, nice and system time; guests are part of it.
  double interrupt_s = 0;  ///< Interrupts and soft interrupts.
  double steal_s = 0;      ///< The hypervisor ran others while the CPU had work.
};

/// The CPUs that are online, by number; empty if /proc/stat cannot be read or all its counters are
/// 0, as some sandboxes show it. `ticks_per_s` is sysconf(_SC_CLK_TCK).
std::map<int, CpuTimes> read_cpu_times(const std::filesystem::path& root, double ticks_per_s);

}  // namespace epochcast::telemetry
