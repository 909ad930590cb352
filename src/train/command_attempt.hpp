// One attempt at a point that runs an arbitrary program. It has the same record as a training, with
// the wall time of the program as the span "command".
#pragma once

#include <string>
#include <vector>

#include "src/core/clock.hpp"
#include "src/core/error.hpp"
#include "src/process/watch.hpp"
#include "src/record/record.hpp"
#include "src/run/run_config.hpp"

namespace epochcast::train {

struct CommandAttempt {
  std::vector<std::string> command;    ///< Program and arguments.
  run::RunOutput output;               ///< With a point.
  record::Record start;                ///< Header, parameters, machine, allocation.
  std::vector<std::string> gpus = {};  ///< As CUDA_VISIBLE_DEVICES names them; for telemetry.
};

/// Creates the record and the work folder of the point, runs the program and closes the record:
/// complete (exit status 0), stopped (exit status 75, or ended by the signal that was forwarded to
/// it as a request to stop), or failed. Returns exit_stopped if stopped. A failure is recorded and
/// then thrown with the same text: as Error if the program cannot be started, else as RunError.
ExitStatus run_command_attempt(const CommandAttempt& attempt, const Clock& clock,
                               const process::HeldSignals& signals);

}  // namespace epochcast::train
