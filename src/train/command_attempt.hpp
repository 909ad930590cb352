// One attempt at a point whose work is a program of anybody's: the same record as a training's,
// with the program's wall time as the span "command".
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
  std::vector<std::string> command;  ///< Program and arguments.
  run::RunOutput output;             ///< With a point.
  record::Record start;              ///< Header, parameters, machine, allocation.
};

/// Makes the record and the point's work folder, runs the program and closes the record: complete
/// (status 0); stopped (status 75, or ended by a signal that asked it to stop), which gives
/// exit_stopped; or failed, which is thrown with the same text once the record has it: as Error
/// where the program cannot be started, else RunError.
ExitStatus run_command_attempt(const CommandAttempt& attempt, const Clock& clock,
                               const process::HeldSignals& signals);

}  // namespace epochcast::train
