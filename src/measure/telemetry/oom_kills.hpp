// How often the kernel has killed a process of this job for its memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace epochcast::telemetry {

/// The processes of this process's cgroup that the kernel has killed so far because memory was
/// short; where the cgroup does not say, those of the whole machine (/proc/vmstat). std::nullopt:
/// the kernel counts none. `root` is the folder of /proc and /sys, for tests.
std::optional<std::int64_t> oom_kills(const std::filesystem::path& root = "/");

}  // namespace epochcast::telemetry
