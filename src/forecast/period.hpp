// What repeats in a series, and how values depend on their neighbours.
#pragma once

#include <cstddef>
#include <vector>

namespace epochcast::forecast {

/// Autocorrelation at a lag, per pair of values, so that a long lag counts like a short one; 0
/// where all values are equal or the lag is too long.
double autocorrelation(const std::vector<double>& values, std::size_t lag);

/// The period in values, at least 2: the shortest lag, of those that the series holds three times,
/// whose autocorrelation is higher than at both neighbours, above 0.5 (a quarter of the variance is
/// what it was a period ago) and above chance (3 standard errors). 0: none. Quadratic in the number
/// of values.
std::size_t period_of(const std::vector<double>& values);

}  // namespace epochcast::forecast
