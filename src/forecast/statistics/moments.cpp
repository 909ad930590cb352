#include "src/forecast/statistics/moments.hpp"

#include <cmath>
#include <numeric>

namespace epochcast::forecast {

Moments moments_of(const std::vector<double>& values) {
  Moments moments;
  if (!values.empty()) {
    moments.mean =
        std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  }
  const double rounding = 1e-12 * std::abs(moments.mean);
  for (const double value : values) {
    const double distance = std::abs(value - moments.mean);
    moments.squares += distance > rounding ? distance * distance : 0;
  }
  return moments;
}

}  // namespace epochcast::forecast
