// The processes below a process, by /proc.
#pragma once

#include <sys/types.h>

#include <vector>

namespace epochcast::process {

/// All that run below `root` and have not ended (zombies are left out).
std::vector<pid_t> descendants_of(pid_t root);

/// Kills everything below this process, which must be a subreaper, and waits for it: sends SIGTERM,
/// and SIGKILL after `grace_s`; with 0, SIGKILL at once. Leaves no zombie. Returns how many could
/// not be killed.
int end_descendants(double grace_s);

}  // namespace epochcast::process
