// The two procedures for a training step.
#pragma once

#include "src/record/run/run_config.hpp"

namespace epochcast::libtorch {

/// `reference`: the order of operations of the published code, including its waits. `optimized`:
/// the same numbers except for rounding, in less time.
enum class Procedure { reference, optimized };

inline Procedure procedure_of(const run::RunConfig& config) {
  return config.procedure == "reference" ? Procedure::reference : Procedure::optimized;
}

}  // namespace epochcast::libtorch
