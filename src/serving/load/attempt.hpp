// One load on a service, from the start of the service to the end of the record.
#pragma once

#include <string>
#include <vector>

#include "src/base/core/clock.hpp"
#include "src/base/core/error.hpp"
#include "src/base/process/held_signals.hpp"
#include "src/record/record.hpp"
#include "src/record/run/run_config.hpp"
#include "src/record/run/serving.hpp"
#include "src/serving/load/options.hpp"

namespace epochcast::load {

struct LoadAttempt {
  std::vector<std::string> command;  ///< Of the service; empty: somebody else starts it.
  TargetOptions target;
  run::LoadOptions options;
  run::RunOutput output;  ///< With a point.
  record::Record start;   ///< Header, parameters, machine, allocation.
  std::string token;
  std::vector<std::string> gpus = {};  ///< As CUDA_VISIBLE_DEVICES names them; for telemetry.
};

/// The signals that end a load early.
process::HeldSignals hold_signals();

/// Creates the record, starts the service if there is a command, waits until it is ready, applies
/// the load, stops the service, prints a table of the stages, and closes the record: complete;
/// stopped (a signal ended the load early; returns exit_stopped); or failed. A failure is recorded
/// and then thrown.
[[nodiscard]] ExitStatus run_load_attempt(const LoadAttempt& attempt, const Clock& clock,
                                          const process::HeldSignals& signals);

}  // namespace epochcast::load
