// A mixture of normal distributions: one for every scenario of the rest of a run.
#pragma once

#include <vector>

#include "src/forecast/run/prediction.hpp"

namespace epochcast::forecast {

/// A normal distribution with its own standard deviation on each side of its center, which is its
/// median.
struct Component {
  double weight = 1;
  double center = 0;
  double below = 0;  ///< Standard deviation toward smaller values; 0: none are smaller.
  double above = 0;  ///< Standard deviation toward larger values.
};

/// The value that a share `probability` (above 0, below 1) of the mixture does not exceed. Weights
/// need not add up to 1. `components` is not empty, its weights are above 0, its numbers finite.
double quantile_of(const std::vector<Component>& components, double probability);

/// `value` with the intervals of `from` plus the mixture: they hold the value and never begin below
/// `least`.
Prediction with_intervals_of(const std::vector<Component>& components, double value, double from,
                             double least);

}  // namespace epochcast::forecast
