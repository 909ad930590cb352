// Whether a series drifts, and how fast.
#pragma once

#include <vector>

namespace epochcast::forecast {

/// Theil and Sen: the median of the slopes between all pairs of values, an index apart each.
/// 0 for less than two values. Quadratic in their number.
double theil_sen_slope(const std::vector<double>& values);

/// Whether values rise or fall beyond chance, by two tests at 1 %: Mann-Kendall (the order of
/// pairs says that there is a direction; normal approximation, ties corrected for continuity only)
/// and CUSUM (the sum of distances from the mean goes further than a Brownian bridge does, 1.63 in
/// units of noise, Kolmogorov's quantile). Both, since a few values at one end satisfy the first
/// and a jump the second. Less than about 15 values cannot pass.
bool drifts(const std::vector<double>& values);

}  // namespace epochcast::forecast
