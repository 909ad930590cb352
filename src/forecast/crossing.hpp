// Where one of two ways to compute overtakes the other as the work grows.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace epochcast::forecast {

/// At one size, how many times as long the first takes as the second.
struct SizedRatio {
  double size = 0;       ///< Above 0, in any unit; not smaller than that of the point before.
  double log_ratio = 0;  ///< Natural logarithm; above 0: the second is faster.
  double deviation = 0;  ///< Standard deviation of log_ratio.
};

struct Crossing {
  std::size_t from = 0;  ///< The first point from which on the second stays faster.
  /// Where both take the same, between that point and the one before: linear in log(size), since a
  /// time between launching and arithmetic is a power of the work. Nothing: faster from the first
  /// point on.
  std::optional<double> size;
};

/// Nothing if the second is not faster at the last point, or there is none.
std::optional<Crossing> crossing(const std::vector<SizedRatio>& points);

/// The sizes at which no one can tell the two apart: those of `crossing` when every ratio is
/// `reach` deviations larger (low), and smaller (high).
struct CrossingInterval {
  std::optional<double> low;   ///< Nothing: below the first point.
  std::optional<double> high;  ///< Nothing: beyond the last point.
};
CrossingInterval crossing_interval(const std::vector<SizedRatio>& points, double reach);

}  // namespace epochcast::forecast
