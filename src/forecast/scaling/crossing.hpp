// The size of a workload from which one of two ways to compute it is faster than the other.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace epochcast::forecast {

/// How many times as long the first way takes as the second, at one size.
struct SizedRatio {
  double size = 0;       ///< Above 0, in any unit; not below the size of the previous point.
  double log_ratio = 0;  ///< Natural logarithm; above 0: the second is faster.
  double deviation = 0;  ///< Standard deviation of log_ratio.
};

struct Crossing {
  std::size_t from = 0;  ///< Index of the first point from which the second way stays faster.
  /// The size at which both ways take the same time, between that point and the previous one. It is
  /// interpolated linearly in log(size), since a time between the launch-bound and the
  /// arithmetic-bound range is a power of the workload. std::nullopt if the second way is faster
  /// from the first point on.
  std::optional<double> size;
};

/// std::nullopt if the second way is not faster at the last point, or if there are no points.
std::optional<Crossing> crossing(const std::vector<SizedRatio>& points);

/// The range of sizes in which the two ways cannot be distinguished: the results of `crossing` with
/// every log_ratio raised by `quantile` deviations (low) and lowered by as much (high).
struct CrossingInterval {
  std::optional<double> low;   ///< std::nullopt: below the first point.
  std::optional<double> high;  ///< std::nullopt: beyond the last point.
};
CrossingInterval crossing_interval(const std::vector<SizedRatio>& points, double quantile);

}  // namespace epochcast::forecast
