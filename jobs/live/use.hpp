// How much of its CPUs and GPUs a running job uses, from the rows of its record.
#pragma once

#include <optional>

#include "src/record/record.hpp"

namespace epochcast::jobs {

/// Shares of 0 to 1 at the last sample of each rank; nothing where the record does not have it.
struct Use {
  std::optional<double> cpu;  ///< Of the CPUs that the ranks may use, by their processes.
  std::optional<double> gpu;  ///< The mean over the GPUs of the ranks, by all processes.
};

/// Ranks that share their CPUs (no binding) are counted with the CPUs of each.
Use use_of(const record::Record& record);

}  // namespace epochcast::jobs
