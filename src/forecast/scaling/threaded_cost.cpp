#include "src/forecast/scaling/threaded_cost.hpp"

#include <algorithm>
#include <cmath>

#include "src/forecast/run/prior_constants.hpp"

namespace epochcast::forecast {
namespace {

/// A network, and what waking the further threads costs its step.
struct ThreadedPlace {
  double layers = 0;
  double flops = 0;
  double wakes_s = 0;
};

double log_ratio_by(const StepLaw& fewer, const ThreadedLaw& law, const ThreadedPlace& at) {
  const double saved_s = fewer.flop_s * at.flops * (1 - 1 / law.speed_up) - at.wakes_s;
  const double fewer_s = fewer.step_s(at.layers, at.flops);
  return -std::log1p(-(law.wakes_always ? saved_s : std::max(0.0, saved_s)) / fewer_s);
}

double squares_of_law(const StepCost& fewer, const std::vector<ThreadedStep>& steps, double wakes_s,
                      const ThreadedLaw& law) {
  double sum = 0;
  for (const auto& step : steps) {
    const ThreadedPlace at{step.fewer.layers, step.fewer.flops, wakes_s * step.fewer.layers};
    sum +=
        std::pow(log_ratio_by(fewer.law, law, at) - std::log(step.fewer.step_s / step.more_s), 2);
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
  best.variance = (law_freedom * law_deviation * law_deviation + least) /
                  (law_freedom + static_cast<double>(steps.size()));
  return best;
}

}  // namespace

double ThreadedCost::log_ratio(double layers, double flops) const {
  return log_ratio_by(fewer.law, law, {layers, flops, wakes_s * layers});
}

double ThreadedCost::deviation(double layers, double flops) const {
  const ThreadedPlace at{layers, flops, wakes_s * layers};
  const double own = log_ratio_by(fewer.law, law, at);
  double rivals = 0;
  double weights = 0;
  for (const auto& rival : fewer.rivals) {
    rivals += rival.weight * std::pow(log_ratio_by(rival.law, law, at) - own, 2);
    weights += rival.weight;
  }
  const double share = law.variance / (law.variance + other.variance);  // 1/2 if both fit as well
  const double disagreement = share * std::pow(log_ratio_by(fewer.law, other, at) - own, 2);
  return std::sqrt(law.variance + disagreement + (weights > 0 ? rivals / weights : 0));
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
