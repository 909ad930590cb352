// What srun does for a step, on this machine alone: several copies of a program that know which one
// each is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace epochcast::jobs {

struct LaunchRequest {
  std::int64_t tasks = 1;
  std::int64_t cpus =
      0;  ///< Each task is bound to so many of our CPUs, its own; 0: it may use them all.
  std::vector<std::string> command;
  double patience_s = 30;  ///< Once a task has ended, the others are killed after so long.
};

/// Starts the tasks with RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and MASTER_PORT set, passes
/// SIGUSR1, SIGTERM, SIGINT and SIGHUP on to all, and returns when all have ended: the first status
/// that is a failure, else the highest. Says on stderr which task a signal ended. Throws Error: the
/// program is not there, too few CPUs.
int launch(const LaunchRequest& request);

}  // namespace epochcast::jobs
