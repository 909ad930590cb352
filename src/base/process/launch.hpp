// Starts several copies of a program on this machine, as srun does for a job step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/base/core/quantity.hpp"

namespace epochcast::process {

struct LaunchRequest {
  std::int64_t tasks = 1;
  std::int64_t cpus = 0;  ///< CPUs bound to each task exclusively; 0: all CPUs of this process.
  std::vector<std::string> command;
  /// How long after the first failure, or the first SIGTERM or SIGINT, the remaining tasks are
  /// killed: they may wait for the failed task forever.
  Seconds patience = {30};
};

/// Starts the tasks with RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and MASTER_PORT set, forwards
/// SIGUSR1, SIGTERM, SIGINT and SIGHUP to all of them, and returns when all have ended.
///
/// Returns the first status that is a failure, except that bad input (2) replaces a failure (1); if
/// no task failed, the highest status; 127 if the program cannot be started. A task that succeeds
/// or stops early (75) does not affect the others. After a failure, or after the first SIGTERM or
/// SIGINT, the others have `patience` left; a second SIGTERM or SIGINT kills them at once. Reports
/// on stderr which tasks ended by a signal, and why tasks were killed.
///
/// Throws Error if there are too few CPUs, RunError if no port is free or the system refuses a
/// process.
[[nodiscard]] int launch(const LaunchRequest& request);

}  // namespace epochcast::process
