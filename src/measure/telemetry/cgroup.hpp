// The control groups of this process, version 1 and 2: CPU limits, memory, its limits and what the
// kernel killed because there was none left.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace epochcast::telemetry {

/// The folders of the cgroup of this process and of those above it, the innermost first. Empty
/// where a controller is not mounted. On a hybrid system both versions have folders.
struct CgroupFolders {
  std::vector<std::filesystem::path> unified;    ///< Version 2.
  std::vector<std::filesystem::path> cpu_v1;     ///< Controller `cpu` of version 1.
  std::vector<std::filesystem::path> memory_v1;  ///< Controller `memory` of version 1.
};

/// Finds them from /proc/self/cgroup and /proc/self/mountinfo.
CgroupFolders find_cgroups(const std::filesystem::path& root);

/// Counters since the cgroups were made; empty where nothing reports them.
struct CgroupUsage {
  /// Time for which tasks with work were kept from running by a CPU limit, sum over the CPUs and
  /// over the cgroups that have one: a limit may be set on any cgroup above.
  std::optional<double> throttled_s;
  std::optional<double> memory_bytes;       ///< Of the innermost cgroup, with its page cache.
  std::optional<double> memory_limit_hits;  ///< Sum over the cgroups.
};

CgroupUsage read_cgroups(const CgroupFolders& folders);

/// The processes of this process's cgroup that the kernel has killed so far because memory was
/// short; where the cgroup does not say, those of the whole machine (/proc/vmstat). std::nullopt:
/// the kernel counts none. `root` is the folder of /proc and /sys, for tests.
std::optional<std::int64_t> oom_kills(const std::filesystem::path& root = "/");

}  // namespace epochcast::telemetry
