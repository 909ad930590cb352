#include "src/forecast/scaling/step_cost.hpp"

#include <array>
#include <cmath>
#include <set>

#include "src/forecast/run/prior_constants.hpp"
#include "src/forecast/run/regression.hpp"

namespace epochcast::forecast {
namespace {

/// Which parts the model has, in addition to the arithmetic.
struct Parts {
  bool fixed;
  bool layers;
};

/// The full model comes first.
constexpr std::array laws{Parts{true, true}, Parts{true, false}, Parts{false, true}};

StepLaw fitted(const Parts& parts, const std::vector<NetworkStep>& steps) {
  std::vector<Equation> equations;
  for (const auto& step : steps) {
    equations.push_back({parts.fixed ? 1 / step.step_s : 0,
                         parts.layers ? step.layers / step.step_s : 0, step.flops / step.step_s});
  }
  const auto found = non_negative_least_squares(equations);
  return {found[0], found[1], found[2]};
}

/// The variance of the logarithms of the fitted step times, as if three more steps had been
/// measured (prior_constants.hpp).
double variance_of(const StepLaw& law, const std::vector<NetworkStep>& steps) {
  double squares = law_freedom * law_deviation * law_deviation;
  for (const auto& step : steps) {
    squares += std::pow(std::log(law.step_s(step.layers, step.flops) / step.step_s), 2);
  }
  return squares / (law_freedom + static_cast<double>(steps.size()));
}

}  // namespace

double StepCost::deviation(double layers, double flops) const {
  double disagreement = 0;
  double weights = 0;
  for (const auto& rival : rivals) {
    disagreement +=
        rival.weight *
        std::pow(std::log(rival.law.step_s(layers, flops) / law.step_s(layers, flops)), 2);
    weights += rival.weight;
  }
  return std::sqrt(variance + disagreement / weights);
}

std::variant<StepCost, Refusal> step_cost(const std::vector<NetworkStep>& steps) {
  std::set<double> sizes;
  for (const auto& step : steps) {
    if (!(step.flops > 0) || !(step.step_s > 0) || !(step.layers >= 0)) {
      return Refusal{"FLOPs or time of a step are not above 0"};
    }
    sizes.insert(step.flops);
  }
  if (sizes.size() < 3) {
    return Refusal{"fewer than three networks of different FLOPs"};
  }
  StepCost cost{.law = fitted(laws.front(), steps), .freedom = law_freedom};
  cost.variance = variance_of(cost.law, steps);
  for (const auto& parts : laws) {
    const auto rival = fitted(parts, steps);
    cost.rivals.push_back({rival, 1 / variance_of(rival, steps)});
  }
  return cost;
}

}  // namespace epochcast::forecast
