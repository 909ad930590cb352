// The two ways to do the same step.
#pragma once

#include "src/run/run_config.hpp"

namespace epochcast::libtorch {

enum class Procedure {
  reference,  ///< The published code's own sequence of operations, waits included.
  optimized   ///< The same results to rounding, faster.
};

inline Procedure procedure_of(const run::RunConfig& config) {
  return config.procedure == "reference" ? Procedure::reference : Procedure::optimized;
}

}  // namespace epochcast::libtorch
