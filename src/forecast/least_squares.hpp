// Least squares of a few non-negative coefficients.
#pragma once

#include <vector>

namespace epochcast::forecast {

/// One equation: sum of coefficient times factor = 1, all of equal weight.
using Equation = std::vector<double>;

/// The coefficients, none below 0, of the least sum of squared errors: every set of those that are
/// not 0 is solved (2^n, so for a handful only; n is that of the first equation, at least 1).
std::vector<double> non_negative_least_squares(const std::vector<Equation>& equations);

}  // namespace epochcast::forecast
