// Whether the level of a run wanders: every step changes it, and the changes add up.
#pragma once

#include <vector>

namespace epochcast::forecast {

/// A level that wanders is a random walk.
struct Wander {
  double probability = 0;  ///< That the level wanders, rather than that steps scatter about it.
  double change = 0;       ///< Standard deviation of the change from one step to the next.
};

/// Compares the two explanations of `values` by their Bayes factor (Kass and Raftery 1995): either
/// each value has an independent error about one level, or each differs by such an error from the
/// one before. The size of the errors follows the same prior in both (scatter.hpp, about `usual`,
/// above 0), the level is unknown. Before any value is seen, a level wanders with the probability
/// `wanders` (prior_constants.hpp). 0 for fewer than two values.
Wander wander_of(const std::vector<double>& values, double usual);

}  // namespace epochcast::forecast
