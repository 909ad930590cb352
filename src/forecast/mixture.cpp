#include "src/forecast/mixture.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace epochcast::forecast {
namespace {

double share_below(const Component& one, double value) {
  const double deviation = value < one.center ? one.below : one.above;
  if (deviation > 0) {
    return std::erfc((one.center - value) / (deviation * std::numbers::sqrt2)) / 2;
  }
  return value < one.center ? 0 : 1;
}

double share_below(const std::vector<Component>& components, double value) {
  double share = 0;
  double weights = 0;
  for (const auto& one : components) {
    share += one.weight * share_below(one, value);
    weights += one.weight;
  }
  return share / weights;
}

}  // namespace

double quantile_of(const std::vector<Component>& components, double probability) {
  constexpr double reach = 10;  // standard deviations: beyond, a double has no share left
  constexpr int halvings = 60;  // down to the last digits of a double
  double low = components.front().center;
  double high = low;
  for (const auto& one : components) {
    low = std::min(low, one.center - reach * one.below);
    high = std::max(high, one.center + reach * one.above);
  }
  for (int i = 0; i < halvings && low < high; ++i) {
    const double middle = low + (high - low) / 2;
    (share_below(components, middle) < probability ? low : high) = middle;
  }
  return high;
}

}  // namespace epochcast::forecast
