// Regression and its statistics: least squares, Student's t, and whether a series has a trend.
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

/// The number of standard errors to each side with which an interval holds `level` (0 to 1) of the
/// outcomes, by Student's t with `freedom` degrees of freedom (above 0).
double student_reach(double level, double freedom);

/// The same if the standard deviation is known.
double normal_reach(double level);

/// What the sum of `freedom` (above 0) squares of standard normal values does not exceed with the
/// probability `level`: the quantile of the chi-squared distribution.
double chi_squared_reach(double level, double freedom);

/// The Theil-Sen slope: the median of the slopes between all pairs of values, per index. 0 for
/// fewer than two values. Quadratic in the number of values.
double theil_sen_slope(const std::vector<double>& values);

/// Whether values rise or fall by more than chance, by two tests at 1 %: Mann-Kendall (the order of
/// pairs shows a direction; normal approximation, ties corrected for continuity only) and CUSUM
/// (the sum of distances from the mean goes further than a Brownian bridge, 1.63 in units of noise,
/// Kolmogorov's quantile). Both must pass, since a few values at one end pass the first test and a
/// jump passes the second. Fewer than about 15 values cannot pass.
bool drifts(const std::vector<double>& values);

}  // namespace epochcast::forecast
