#include "src/output/plot/chart.hpp"

#include <algorithm>
#include <cmath>

namespace epochcast::plot {

bool can_show(const Axis& axis, double value) {
  return std::isfinite(value) && (axis.scale != Axis::Scale::log || value > 0);
}

bool has_values(const Chart& chart) {
  return std::ranges::any_of(chart.series, [&](const Series& series) {
    return std::ranges::any_of(series.points, [&](const Point& point) {
      const bool band = series.kind == Series::Kind::band;
      const bool visible = band ? point.low && point.high && can_show(chart.y, *point.low) &&
                                      can_show(chart.y, *point.high)
                                : can_show(chart.y, point.y);
      return visible && can_show(chart.x, point.x);
    });
  });
}

}  // namespace epochcast::plot
