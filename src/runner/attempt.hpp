// One attempt at a point that runs an arbitrary program. It has the same record as a training.
#pragma once

#include <string>
#include <vector>

#include "src/base/core/clock.hpp"
#include "src/base/process/held_signals.hpp"
#include "src/measure/attempt/job_limit.hpp"
#include "src/record/record.hpp"
#include "src/record/run/run_config.hpp"
#include "src/runner/options.hpp"
#include "src/runner/ranks.hpp"

namespace epochcast::runner {

struct CommandAttempt {
  std::vector<std::string> command;  ///< Program and arguments.
  RunnerOptions options = {};
  attempt::LimitOptions limit = {};
  run::RunOutput output;  ///< With a point.
  record::Record start;   ///< Header, parameters, machine, allocation.
  Rank rank = {};
  std::vector<std::string> gpus = {};  ///< As CUDA_VISIBLE_DEVICES names them; for telemetry.
};

/// The signals that are forwarded to the program, and those that the attempt needs itself.
process::HeldSignals hold_signals();

/// Creates the record (of several ranks, that of rank 0) and the work folder of the point, runs the
/// program and closes the record: complete (exit status 0, or a pilot that has ended), stopped
/// (exit status 75, or ended by the signal that was forwarded to it as a request to stop), or
/// failed. Returns exit_stopped if stopped. A failure is recorded and then thrown with the same
/// text and, as its status, that of the program (128 + n: ended by signal n), or exit_bad_input if
/// it cannot be started.
[[nodiscard]] int run_command_attempt(const CommandAttempt& attempt, const Clock& clock,
                                      const process::HeldSignals& signals);

}  // namespace epochcast::runner
