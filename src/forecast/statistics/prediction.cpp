#include "src/forecast/statistics/prediction.hpp"

#include <algorithm>
#include <cmath>

#include "src/base/core/statistics.hpp"

namespace epochcast::forecast {
namespace {

/// The prediction whose value and ends are those of `of`, changed by `change`.
template <class Change>
Prediction changed(const Prediction& of, Change change) {
  return {change(of.value),
          {change(of.interval_80.low), change(of.interval_80.high)},
          {change(of.interval_95.low), change(of.interval_95.high)}};
}

}  // namespace

Prediction operator+(const Prediction& prediction, double number) {
  return changed(prediction, [&](double value) { return value + number; });
}

Prediction operator*(const Prediction& prediction, double factor) {
  return changed(prediction, [&](double value) { return value * factor; });
}

Prediction inverse(const Prediction& prediction) {
  auto inverse = changed(prediction, [](double value) { return 1 / value; });
  for (auto* interval : {&inverse.interval_80, &inverse.interval_95}) {
    std::swap(interval->low, interval->high);
  }
  return inverse;
}

Prediction sum_of_independent(std::initializer_list<Prediction> predictions) {
  Prediction sum;
  for (const auto& one : predictions) {
    sum.value += one.value;
  }
  for (const auto level : {&Prediction::interval_80, &Prediction::interval_95}) {
    double below = 0;
    double above = 0;
    for (const auto& one : predictions) {
      below += square(one.value - (one.*level).low);
      above += square((one.*level).high - one.value);
    }
    sum.*level = {std::max(sum.value - std::sqrt(below), 0.0), sum.value + std::sqrt(above)};
  }
  return sum;
}

Prediction with_log_widths(double value, double width_80, double width_95) {
  return {value,
          {value / std::exp(width_80), value * std::exp(width_80)},
          {value / std::exp(width_95), value * std::exp(width_95)}};
}

}  // namespace epochcast::forecast
