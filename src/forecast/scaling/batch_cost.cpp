#include "src/forecast/scaling/batch_cost.hpp"

#include <algorithm>
#include <cmath>

#include "src/forecast/run/regression.hpp"

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
  std::vector<Equation> equations;
  for (const auto& [batch, step_s] : times) {
    equations.push_back({1 / step_s, batch / step_s});
  }
  const auto coefficients = non_negative_least_squares(equations);
  return BatchCost{coefficients[0], coefficients[1], smallest->batch};
}

double largest_error(const BatchCost& cost, const std::vector<BatchTime>& times) {
  double largest = 0;
  for (const auto& [batch, step_s] : times) {
    largest = std::max(largest, std::abs(cost.step_s(batch) / step_s - 1));
  }
  return largest;
}

}  // namespace epochcast::forecast
