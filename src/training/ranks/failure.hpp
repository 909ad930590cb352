// Failure of a run with several ranks.
#pragma once

#include <string>

#include "src/base/core/error.hpp"
#include "src/record/run/outcome.hpp"

namespace epochcast::ranks {

/// Why the run cannot continue.
struct Failure {
  std::string text;  ///< One line.
  run::FailureCause cause = run::FailureCause::other;
};

/// A stop was requested before all ranks were connected: nothing was trained, and nothing failed.
struct StoppedEarly : Error {
  explicit StoppedEarly(const std::string& message) : Error(message, exit_stopped) {}
};

/// Another rank failed and reports the failure: this rank exits without a message.
struct ReportedByPeer : RunError {
  using RunError::RunError;
};

}  // namespace epochcast::ranks
