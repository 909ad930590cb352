#include "src/forecast/scaling/step_setting.hpp"

#include <algorithm>
#include <cmath>

#include "src/base/core/statistics.hpp"

namespace epochcast::forecast {

Doublings doublings_of(const StepSetting& setting) {
  Doublings doublings{};
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    doublings[i] = std::log2(setting.*dimensions[i].value);
  }
  return doublings;
}

double squared_doublings(const StepSetting& a, const StepSetting& b) {
  double sum = 0;
  for (const auto& dimension : dimensions) {
    sum += std::pow(std::log2(a.*dimension.value / b.*dimension.value), 2);
  }
  return sum;
}

double Nearness::weight(const Doublings& a, const Doublings& b) const {
  /// Runs of the same setting are together worth the weight of a tenth of a doubling.
  constexpr double least_distance = 0.1;
  double squared = 0;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    squared += square(doublings_[i] * (a[i] - b[i]));
  }
  return 1 / square(std::max(least_distance * least_distance, squared));
}

double Nearness::expected(const std::vector<MissedTime>& missed, const StepSetting& at) const {
  const auto place = doublings_of(at);
  double sum = 0;
  double weights = 1;
  for (const auto& one : missed) {
    const double weight_of_one = weight(doublings_of(one.setting), place);
    sum += weight_of_one * one.log_ratio;
    weights += weight_of_one;
  }
  return sum / weights;
}

Nearness Nearness::best_for(const std::vector<StepSetting>& settings,
                            const std::function<double(const Nearness&)>& error) {
  Nearness best;
  double least = error(best);
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const auto value = dimensions[i].value;
    if (std::ranges::all_of(settings, [&](const StepSetting& setting) {
          return setting.*value == settings.front().*value;
        })) {
      continue;
    }
    for (const double doublings : {0.5, 2.0, 4.0}) {
      auto tried = best;
      tried.doublings_[i] = doublings;
      if (const double own = error(tried); own < least) {
        least = own;
        best = tried;
      }
    }
  }
  return best;
}

}  // namespace epochcast::forecast
