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

}  // namespace epochcast
