// The rank of split-conformal prediction.
#pragma once

#include <cstddef>
#include <vector>

namespace epochcast::forecast {

/// With fewer past forecasts, intervals remain unchanged.
inline constexpr std::size_t fewest_past_forecasts = 20;

/// What the next score does not exceed with at least the probability `level` if it is exchangeable
/// with these (split-conformal method: Vovk, Gammerman and Shafer 2005; Lei et al. 2018, section
/// 2.2): the ceil((n + 1)·level)-th smallest, of too few the largest. `scores` is not empty.
double conformal_score(std::vector<double> scores, double level);

}  // namespace epochcast::forecast
