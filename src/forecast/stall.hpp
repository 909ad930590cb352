// Single steps that say nothing of the others.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "src/forecast/step.hpp"

namespace epochcast::forecast {

/// The one of the steps from `first` on whose rate stands apart from all others: by more than
/// machines differ, and by Dixon's Q test at 5 %. Slow ones before fast ones, since contention only
/// adds time. Of two steps only the last: where the one before it is slow, that is warm-up.
std::optional<std::size_t> stall_among(const std::vector<Step>& steps, std::size_t first);

}  // namespace epochcast::forecast
