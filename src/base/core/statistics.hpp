// Statistics that summarize several repeats.
#pragma once

#include <optional>
#include <vector>

namespace epochcast {

/// Summary of the repeats of one measurement.
struct Summary {
  std::size_t n = 0;
  double median = 0;
  double spread = 0;  ///< Largest minus smallest: three repeats do not support a finer measure.
};

/// std::nullopt if `values` is empty.
std::optional<Summary> summarize(std::vector<double> values);

/// std::nullopt if `values` is empty.
std::optional<double> mean(const std::vector<double>& values);

/// 0 if `values` is empty.
double sum_of_squares(const std::vector<double>& values);

/// The value that a fraction `probability` (0 to 1) of `values` does not exceed, interpolated
/// between ranks (definition 7 of Hyndman and Fan 1996, which NumPy and R use). Throws
/// std::logic_error if `values` is empty.
double quantile(std::vector<double> values, double probability);

/// How repeats of one measurement scatter.
struct Scatter {
  double deviation = 0;  ///< Standard deviation of the natural logarithms.
  double freedom = 0;    ///< Its degrees of freedom.
};

/// The common scatter of several measurements, each a list of its repeats (above 0): the variances
/// of the logarithms, pooled by their degrees of freedom. std::nullopt if no measurement was
/// repeated.
std::optional<Scatter> pooled_scatter(const std::vector<std::vector<double>>& measurements);

/// The factor by which the median of `n` repeats scatters less than a single repeat: sqrt(n),
/// divided from three repeats on by sqrt(pi/2), which accounts for the efficiency of the median of
/// normal values in the limit (Kendall and Stuart).
double median_gain(std::size_t n);

constexpr double square(double value) {
  return value * value;
}

/// The middle value, or the mean of the two middle values. Throws std::logic_error if `values` is
/// empty.
double median_of(std::vector<double> values);

}  // namespace epochcast
