// How far forecasts from datasheets are off, learned from the measured times that Epochcast was
// developed with.
#pragma once

namespace epochcast::device {

/// Half-widths of prediction intervals, of the logarithm of a ratio.
struct Widths {
  double of_80 = 0;
  double of_95 = 0;
};

/// For the ratio exp(log_ratio) by datasheets.
///
/// Programs (trainings, inference): the further two devices are apart, the more ways there are to
/// be wrong; the variance grows with the logarithm of the ratio, as that of a random walk with its
/// length. Even devices with the same figures differ (the 0.1). The factors are the 80 and 95 %
/// quantiles of |error| / sqrt(0.1 + |log ratio|) over the trainings of Gavel that the device
/// limits, every pair of K80, P100 and V100 with the same weight.
///
/// Single operators: a program averages over the scatter of its kernels, one kernel has it alone,
/// and that is the larger part at any distance. Quantiles of |error| over the matrix products and
/// convolutions of DeepBench, every pair of T4, V100 and P100 with the same weight.
///
/// tests/analysis/validate/learned_widths_test.cpp computes all four from these files.
Widths datasheet_widths(double log_ratio, bool single_operator);

inline constexpr double program_distance_floor = 0.1;
inline constexpr Widths program_widths{0.375, 0.671};
inline constexpr Widths operator_widths{0.343, 0.70};

}  // namespace epochcast::device
