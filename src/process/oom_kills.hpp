// How often the kernel has killed a process of this job for its memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace epochcast::process {

/// The processes of this process's cgroup that the kernel has killed so far because memory was
/// short; where the cgroup does not say, those of the whole machine (/proc/vmstat). std::nullopt:
/// the kernel counts none. `root` stands before /proc and /sys, for tests.
std::optional<std::int64_t> oom_kills(const std::string& root = "");

}  // namespace epochcast::process
