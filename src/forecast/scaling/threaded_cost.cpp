#include "src/forecast/scaling/threaded_cost.hpp"

#include <algorithm>
#include <cmath>

#include "src/base/core/square.hpp"

namespace epochcast::forecast {
namespace {

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
