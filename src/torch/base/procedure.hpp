// The two ways to do the same step.
#pragma once

#include "src/run/run_config.hpp"

namespace epochcast::libtorch {

/// How a step is done: `lab` in the published code's own order of work, waits included; `fast` the
/// same numbers to rounding, without the waste.
enum class Procedure { lab, fast };

inline Procedure procedure_of(const run::RunConfig& config) {
  return config.procedure == "lab" ? Procedure::lab : Procedure::fast;
}

}  // namespace epochcast::libtorch
