#include "src/forecast/scaling/crossing.hpp"

#include <cmath>

namespace epochcast::forecast {
namespace {

double zero_between(const SizedRatio& below, const SizedRatio& above) {
  const double share = below.log_ratio / (below.log_ratio - above.log_ratio);
  return below.size * std::pow(above.size / below.size, share);
}

std::vector<SizedRatio> shifted(std::vector<SizedRatio> points, double quantile) {
  for (auto& point : points) {
    point.log_ratio += quantile * point.deviation;
  }
  return points;
}

}  // namespace

std::optional<Crossing> crossing(const std::vector<SizedRatio>& points) {
  auto from = points.size();
  while (from > 0 && points[from - 1].log_ratio > 0) {
    --from;
  }
  if (from == points.size()) {
    return std::nullopt;
  }
  Crossing found{.from = from, .size = std::nullopt};
  if (from > 0) {
    found.size = zero_between(points[from - 1], points[from]);
  }
  return found;
}

CrossingInterval crossing_interval(const std::vector<SizedRatio>& points, double quantile) {
  const auto early = crossing(shifted(points, quantile));
  const auto late = crossing(shifted(points, -quantile));
  CrossingInterval interval;
  if (early) {
    interval.low = early->size;
  }
  if (late) {
    interval.high = late->size ? *late->size : points.front().size;
  }
  return interval;
}

}  // namespace epochcast::forecast
