// Least squares of a few non-negative coefficients.
#pragma once

#include <vector>

namespace epochcast::forecast {

/// One equation: the sum of coefficient times factor is 1. A vector holds the factors; all
/// equations have equal weight.
using Equation = std::vector<double>;

/// The non-negative coefficients with the least sum of squared errors. Solves for every subset of
/// non-zero coefficients (2^n subsets, so n must be small; n is the length of the first equation,
/// at least 1).
std::vector<double> non_negative_least_squares(const std::vector<Equation>& equations);

}  // namespace epochcast::forecast
