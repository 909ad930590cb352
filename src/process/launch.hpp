// What srun does for a step, on this machine alone: several copies of a program that know which one
// each is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/core/quantity.hpp"

namespace epochcast::process {

struct LaunchRequest {
  std::int64_t tasks = 1;
  std::int64_t cpus =
      0;  ///< Each task is bound to so many of our CPUs, its own; 0: it may use them all.
  std::vector<std::string> command;
  /// So long after a task has failed, or after the first SIGTERM or SIGINT, what still runs is
  /// killed: it waits for who is gone, or hangs.
  Seconds patience = {30};
};

/// Starts the tasks with RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and MASTER_PORT set, passes
/// SIGUSR1, SIGTERM, SIGINT and SIGHUP on to all, and returns when all have ended: the first status
/// that is a failure, but bad input (2) goes before a failure (1), which may be only its effect;
/// where none failed the highest. A task that ends well or stopped early (75) does nothing to the
/// others; behind one that failed they have `patience` left, as behind the first SIGTERM or
/// SIGINT; a second one kills them at once. Says on stderr which task a signal ended, and of those
/// that were killed here why. Throws Error: too few CPUs; RunError: no free port, or a task for
/// which there is no process (one whose program is not there fails with status 127).
int launch(const LaunchRequest& request);

}  // namespace epochcast::process
