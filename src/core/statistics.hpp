// Numbers that stand for several repeats.
#pragma once

#include <optional>
#include <vector>

namespace epochcast {

/// What repeats of one measurement say together.
struct Summary {
  std::size_t n = 0;
  double median = 0;
  double spread = 0;  ///< Largest minus smallest: with three repeats nothing finer is honest.
};

/// Nothing if there are no values.
std::optional<Summary> summarize(std::vector<double> values);

/// Nothing if there are no values.
std::optional<double> mean(const std::vector<double>& values);

/// The value that a share `probability` (0 to 1) of `values` does not exceed, interpolated between
/// ranks (definition 7 of Hyndman and Fan 1996, which NumPy and R use). Throws std::logic_error
/// if there are none.
double quantile(std::vector<double> values, double probability);

/// How repeats of one measurement scatter.
struct Scatter {
  double deviation = 0;  ///< Standard deviation of the natural logarithms.
  double freedom = 0;    ///< Degrees of freedom it is known with.
};

/// The scatter that several measurements have in common, each a list of its repeats (above 0):
/// variances of logarithms pooled by their degrees of freedom. Nothing if none was repeated.
std::optional<Scatter> pooled_scatter(const std::vector<std::vector<double>>& measurements);

/// By how much the median of `n` repeats scatters less than one of them: sqrt(n), less the
/// efficiency of a median of normal values, sqrt(pi/2) in the limit (Kendall and Stuart), from
/// three on.
double median_gain(std::size_t n);

}  // namespace epochcast
