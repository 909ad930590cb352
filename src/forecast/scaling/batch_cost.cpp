#include "src/forecast/scaling/batch_cost.hpp"

#include <algorithm>
#include <cmath>

#include "src/forecast/scaling/step_terms.hpp"

namespace epochcast::forecast {

std::optional<double> BatchCost::efficient_batch() const {
  constexpr double share = 0.9;  // b / T(b) = share / item_s, solved for b
  return item_s > 0 ? std::optional(std::max(share / (1 - share) * launch_s / item_s, smallest))
                    : std::nullopt;
}

std::optional<BatchCost> batch_cost(const std::vector<BatchTime>& times) {
  const auto [smallest, largest] = std::ranges::minmax_element(times, {}, &BatchTime::batch);
  if (times.empty() || smallest->batch == largest->batch) {
    return std::nullopt;
  }
  std::vector<SettingTime> settings;
  for (const auto& [batch, step_s] : times) {
    settings.push_back({{.batch = batch}, step_s});
  }
  const auto law = fitted_law({terms::fixed, terms::arithmetic}, settings);
  return BatchCost{law.coefficients[0], law.coefficients[1], smallest->batch};
}

double largest_error(const BatchCost& cost, const std::vector<BatchTime>& times) {
  double largest = 0;
  for (const auto& [batch, step_s] : times) {
    largest = std::max(largest, std::abs(cost.step_s(batch) / step_s - 1));
  }
  return largest;
}

}  // namespace epochcast::forecast
