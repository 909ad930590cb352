// Pressure stall information (PSI): how long tasks waited for a CPU, for memory or for a disk.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace epochcast::telemetry {

/// Seconds since the start of the node or the cgroup in which at least one task waited.
struct Pressure {
  std::optional<double> cpu_s;
  std::optional<double> memory_s;
  std::optional<double> io_s;
};

/// Where the files are: "cpu.pressure" in the folder of a cgroup, else "cpu" in /proc/pressure.
struct PressureFiles {
  std::filesystem::path cpu;
  std::filesystem::path memory;
  std::filesystem::path io;
  std::string of;  ///< "cgroup", "node", or "": there are none.
};

/// The files of the cgroup `folder` (empty: none), or those of the node.
PressureFiles find_pressure(const std::filesystem::path& root, const std::filesystem::path& folder);

Pressure read_pressure(const PressureFiles& files);

}  // namespace epochcast::telemetry
