#include "src/output/plot/thin.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace epochcast::plot {

std::vector<Point> thinned(const std::vector<Point>& points, std::size_t columns) {
  if (points.size() <= 4 * columns) {
    return points;
  }
  const double low = points.front().x;
  const double width = points.back().x - low;
  std::vector<Point> kept;
  for (std::size_t begin = 0; begin < points.size();) {
    const auto column_of = [&](std::size_t i) {
      return width > 0 ? std::floor((points[i].x - low) / width * static_cast<double>(columns)) : 0;
    };
    std::size_t end = begin;
    std::size_t lowest = begin;
    std::size_t highest = begin;
    for (; end < points.size() && column_of(end) == column_of(begin); ++end) {
      lowest = points[end].y < points[lowest].y ? end : lowest;
      highest = points[end].y > points[highest].y ? end : highest;
    }
    for (const auto place : std::set<std::size_t>{begin, lowest, highest, end - 1}) {
      kept.push_back(points[place]);
    }
    begin = end;
  }
  return kept;
}

}  // namespace epochcast::plot
