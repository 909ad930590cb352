#include "src/forecast/scaling/step_cost.hpp"

#include <cmath>
#include <set>

#include "src/base/core/square.hpp"
#include "src/forecast/run/prior_constants.hpp"

namespace epochcast::forecast {
namespace {

LawError error_of(const FittedStepLaw& law, const std::vector<SettingTime>& steps) {
  double squares = 0;
  for (const auto& step : steps) {
    squares += square(std::log(law.step_s(step.setting) / step.step_s));
  }
  return law_error(squares, static_cast<double>(steps.size()));
}

}  // namespace

const StepTerms& network_terms() {
  static const StepTerms terms{terms::fixed, terms::layers, terms::arithmetic};
  return terms;
}

double StepCost::deviation(const StepSetting& at) const {
  std::vector<RivalLaw> others;
  for (const auto& rival : rivals) {
    others.push_back({std::log(rival.law.step_s(at) / law.step_s(at)), rival.variance});
  }
  return std::sqrt(variance + disagreement(others));
}

std::variant<StepCost, Refusal> step_cost(const std::vector<SettingTime>& steps) {
  std::set<double> sizes;
  for (const auto& [network, step_s] : steps) {
    if (!(network.flops > 0) || !(step_s > 0) || !(network.layers >= 0)) {
      return Refusal{"FLOPs or time of a step are not above 0"};
    }
    sizes.insert(network.flops);
  }
  if (sizes.size() < 3) {
    return Refusal{"fewer than three networks of different FLOPs"};
  }
  StepCost cost{.law = fitted_law(network_terms(), steps), .freedom = law_freedom};
  for (const auto& terms :
       {network_terms(), {terms::fixed, terms::arithmetic}, {terms::layers, terms::arithmetic}}) {
    const auto rival = fitted_law(terms, steps);
    cost.rivals.push_back({rival, error_of(rival, steps).variance});
  }
  cost.variance = cost.rivals.front().variance;
  return cost;
}

}  // namespace epochcast::forecast
