// How much of its CPUs and GPUs a running job uses, from the rows of its record.
#pragma once

#include <optional>

#include "src/record/record.hpp"

namespace epochcast::jobs {

/// Shares of 0 to 1 over the last sample; nothing where the record does not have it.
struct Use {
  std::optional<double> cpu;  ///< Of the allocated CPUs.
  std::optional<double> gpu;  ///< Of the allocated GPUs.
};

/// Nothing in both: records do not contain such samples yet.
Use use_of(const record::Record& record);

}  // namespace epochcast::jobs
