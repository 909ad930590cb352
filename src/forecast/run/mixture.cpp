#include "src/forecast/run/mixture.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace epochcast::forecast {
namespace {

constexpr double cut_off = 10;  // standard deviations: beyond, a double has no share left

/// Of a mixture, at one value.
struct Distribution {
  double share = 0;  ///< Of the mixture that is below it.
  double density = 0;
};

/// The share and the density of a component, with its weight.
Distribution distribution(const Component& one, double value) {
  const double deviation = value < one.center ? one.below : one.above;
  const double distance = value - one.center;
  if (std::abs(distance) >= cut_off * deviation) {
    return {value < one.center ? 0 : one.weight, 0};
  }
  const double z = distance / deviation;
  return {one.weight * std::erfc(-z / std::numbers::sqrt2) / 2,
          one.weight * std::exp(-z * z / 2) / (deviation * std::sqrt(2 * std::numbers::pi))};
}

Distribution distribution(const std::vector<Component>& components, double value) {
  Distribution sum;
  double weights = 0;
  for (const auto& one : components) {
    const auto here = distribution(one, value);
    sum.share += here.share;
    sum.density += here.density;
    weights += one.weight;
  }
  return {sum.share / weights, sum.density / weights};
}

}  // namespace

double quantile_of(const std::vector<Component>& components, double probability) {
  constexpr double exact = 1e-12;  // of the range
  double low = components.front().center;
  double high = low;
  for (const auto& one : components) {
    low = std::min(low, one.center - cut_off * one.below);
    high = std::max(high, one.center + cut_off * one.above);
  }
  // Newton's method between bounds. A step that leaves them, or that is not half as long as the one
  // before, is a bisection (rtsafe of Press et al., Numerical Recipes). It asks for the share about
  // ten times, a bisection alone 40 times.
  const double enough = exact * (high - low);
  double value = low + (high - low) / 2;
  double step = high - low;
  while (high - low > enough && std::abs(step) > enough) {
    const auto here = distribution(components, value);
    (here.share < probability ? low : high) = value;
    const double newton = here.density > 0 ? (probability - here.share) / here.density : 0;
    const bool good = here.density > 0 && std::abs(newton) <= std::abs(step) / 2 &&
                      value + newton > low && value + newton < high;
    step = good ? newton : low + (high - low) / 2 - value;
    value += step;
  }
  return std::abs(step) <= enough ? value : high;
}

Prediction with_intervals_of(const std::vector<Component>& components, double value, double from,
                             double least) {
  const auto interval = [&](double level) -> Interval {
    const double low = from + quantile_of(components, (1 - level) / 2);
    const double high = from + quantile_of(components, (1 + level) / 2);
    return {std::max(least, std::min(low, value)), std::max(high, value)};
  };
  return {value, interval(0.80), interval(0.95)};
}

}  // namespace epochcast::forecast
