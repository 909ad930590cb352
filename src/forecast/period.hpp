// Periods of a series, and how its values depend on neighboring values.
#pragma once

#include <cstddef>
#include <vector>

namespace epochcast::forecast {

/// The autocorrelation at a lag, per pair of values, so that a long lag counts like a short one; 0
/// if all values are equal or the lag is too long.
double autocorrelation(const std::vector<double>& values, std::size_t lag);

/// The period as a number of values, at least 2: the shortest lag that fits three times into the
/// series and whose autocorrelation is not below that of both neighboring lags, above 0.5 (a
/// quarter of the variance is explained by the value one period earlier) and above chance (3
/// standard errors). 0: no period. Quadratic in the number of values.
std::size_t period_of(const std::vector<double>& values);

}  // namespace epochcast::forecast
