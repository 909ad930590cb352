#include "src/forecast/scaling/step_cost.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "src/base/core/statistics.hpp"
#include "src/forecast/run/prior_constants.hpp"

namespace epochcast::forecast {
namespace {

LawError error_on_steps(const FittedStepLaw& law, const std::vector<SettingTime>& steps) {
  double squares = 0;
  for (const auto& step : steps) {
    squares += square(std::log(law.step_s(step.setting) / step.step_s));
  }
  return law_error(squares, static_cast<double>(steps.size()));
}

double log_ratio_by(const FittedStepLaw& fewer, const ThreadedLaw& law, double wakes_s,
                    const StepSetting& at) {
  const double saved_s =
      fewer.part_s(terms::arithmetic, at) * (1 - 1 / law.speed_up) - wakes_s * at.layers;
  return -std::log1p(-(law.wakes_always ? saved_s : std::max(0.0, saved_s)) / fewer.step_s(at));
}

double squares_of_law(const StepCost& fewer, const std::vector<ThreadedStep>& steps, double wakes_s,
                      const ThreadedLaw& law) {
  double sum = 0;
  for (const auto& [with_fewer, more_s] : steps) {
    sum += square(log_ratio_by(fewer.law, law, wakes_s, with_fewer.setting) -
                  std::log(with_fewer.step_s / more_s));
  }
  return sum;
}

ThreadedLaw fitted_threads(const StepCost& fewer, const std::vector<ThreadedStep>& steps,
                           double threads_ratio, double wakes_s, bool wakes_always) {
  ThreadedLaw best{.wakes_always = wakes_always};
  double least = squares_of_law(fewer, steps, wakes_s, best);
  constexpr int tries = 500;  // a fine grid: the sum of squares is not convex
  for (int i = 1; i <= tries; ++i) {
    const ThreadedLaw tried{.speed_up = std::pow(threads_ratio, static_cast<double>(i) / tries),
                            .wakes_always = wakes_always};
    if (const double squares = squares_of_law(fewer, steps, wakes_s, tried); squares < least) {
      least = squares;
      best = tried;
    }
  }
  best.variance = law_error(least, static_cast<double>(steps.size())).variance;
  return best;
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
    cost.rivals.push_back({rival, error_on_steps(rival, steps).variance});
  }
  cost.variance = cost.rivals.front().variance;
  return cost;
}

double ThreadedCost::log_ratio(const StepSetting& at) const {
  return log_ratio_by(fewer.law, law, wakes_s, at);
}

double ThreadedCost::deviation(const StepSetting& at) const {
  const double own = log_ratio(at);
  std::vector<RivalLaw> rivals;
  for (const auto& rival : fewer.rivals) {
    rivals.push_back({log_ratio_by(rival.law, law, wakes_s, at) - own, rival.variance});
  }
  const double by_other = log_ratio_by(fewer.law, other, wakes_s, at) - own;
  return std::sqrt(law.variance + disagreement({{0, law.variance}, {by_other, other.variance}}) +
                   disagreement(rivals));
}

ThreadedCost threaded_cost(const StepCost& fewer, const std::vector<ThreadedStep>& steps,
                           double threads_ratio, double wakes_s) {
  ThreadedCost cost{.fewer = fewer,
                    .wakes_s = wakes_s,
                    .law = fitted_threads(fewer, steps, threads_ratio, wakes_s, true),
                    .other = fitted_threads(fewer, steps, threads_ratio, wakes_s, false)};
  if (cost.other.variance < cost.law.variance) {
    std::swap(cost.law, cost.other);
  }
  return cost;
}

}  // namespace epochcast::forecast
