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

/// Nothing where there are no values.
std::optional<Summary> summarize(std::vector<double> values);

/// The value that a share `probability` (0 to 1) of `values` does not exceed, interpolated between
/// ranks (definition 7 of Hyndman and Fan 1996, which NumPy and R use). Throws std::logic_error
/// where there are none.
double quantile(std::vector<double> values, double probability);

}  // namespace epochcast
