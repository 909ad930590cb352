// What the ranks of a run waited for each other.
#pragma once

#include <cstdint>
#include <optional>

#include "src/record/record.hpp"

namespace epochcast::analysis {

struct Exchange {
  double own_step_s = 0;  ///< A step without that, the mean over ranks.
  double wait_s = 0;      ///< A step's wait for the gradients of others, the mean over ranks.
  double share = 0;       ///< Of the time of all ranks' steps, what they waited so.
  std::int64_t slowest_rank = 0;  ///< The one with the most work of its own in a step.
  double slower = 0;              ///< By what share of the mean of all ranks.
};

/// From every step but the first. std::nullopt for one rank, or if no such step was recorded.
std::optional<Exchange> exchange_of(const record::Record& record);

}  // namespace epochcast::analysis
