#include "src/forecast/run/forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "src/base/core/statistics.hpp"
#include "src/forecast/run/conformal.hpp"
#include "src/forecast/run/mixture.hpp"
#include "src/forecast/run/prior_constants.hpp"
#include "src/forecast/run/regression.hpp"
#include "src/forecast/run/scenarios.hpp"
#include "src/forecast/run/shipped_calibration.hpp"

namespace epochcast::forecast {
namespace {

bool all_from(double least, const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(),
                     [&](double value) { return std::isfinite(value) && value >= least; });
}

double epochs_asked(const RunSeries& series) {
  return static_cast<double>(series.epochs) - series.unfinished - series.epochs_before;
}

/// The work of the epochs to forecast; 0: not known.
double series_work(const RunSeries& series) {
  const double per_epoch = series.step_work.empty() ? static_cast<double>(series.steps_per_epoch)
                                                    : series.work_per_epoch;
  const double work = per_epoch * epochs_asked(series);
  return std::isfinite(work) ? std::max(0.0, work) : 0;
}

std::optional<Refusal> problem_of(const RunSeries& series) {
  const auto count = series.step_s.size();
  if (count == 0) {
    return Refusal{"no step measured"};
  }
  if (!all_from(0, series.step_s) || !all_from(0, {series.before_s, series.after_epoch_s,
                                                   series.epochs_before, series.unfinished})) {
    return Refusal{"a time is negative or no number"};
  }
  if (!series.step_work.empty() &&
      (series.step_work.size() != count ||
       !all_from(std::numeric_limits<double>::min(), series.step_work))) {
    return Refusal{"the work of a step is not known"};
  }
  if (series_work(series) == 0) {
    return Refusal{"the amount of work is not known"};
  }
  if (series.steps_per_epoch > 1 && count < fewest_iterations) {
    return Refusal{fmt::format("fewer than {} iterations measured: the warm-up cannot be separated",
                               fewest_iterations)};
  }
  return std::nullopt;
}

std::vector<Step> series_steps(const RunSeries& series) {
  std::vector<Step> steps;
  for (std::size_t i = 0; i < series.step_s.size(); ++i) {
    steps.push_back(
        {.seconds = series.step_s[i], .work = series.step_work.empty() ? 1 : series.step_work[i]});
  }
  return steps;
}

/// The first steps, up to `work` in total, the last one in part; all steps if they do less.
std::vector<Step> first_steps(std::vector<Step> steps, double work) {
  for (auto step = steps.begin(); step != steps.end(); work -= step->work, ++step) {
    if (step->work >= work) {
      *step = {.seconds = step->seconds * (work / step->work), .work = work};
      steps.erase(step + 1, steps.end());
      break;
    }
  }
  return steps;
}

/// The time after epochs, and its error as standard deviations. Times seen vary like `gaps_s`,
/// and half their mean counts like three more of them.
struct After {
  double seconds = 0;
  double below_s = 0;
  double above_s = 0;
  double unseen_s =
      0;  ///< What comes only every so many epochs and was not seen, in all of the rest,
  double unseen_probability = 0;
};

After after_epochs(const RunSeries& series, double epoch_s) {
  const double epochs = std::ceil(epochs_asked(series));
  After after{.seconds = epochs * series.after_epoch_s};
  const auto seen = static_cast<double>(series.gaps_s.size());
  const double left = std::max(0.0, epochs - seen);
  if (seen == 0 || left == 0) {
    return after;
  }
  const double usual_s = gap_noise * series.after_epoch_s;
  const double deviation_s =
      std::sqrt((gap_freedom * square(usual_s) + moments_of(series.gaps_s).squares) /
                (gap_freedom + seen - 1));
  after.above_s = deviation_s * std::sqrt(left + left * left / seen);
  after.below_s = std::min(after.above_s, left * series.after_epoch_s);
  after.unseen_s = unseen_gap * epoch_s * left / (seen + 1);
  after.unseen_probability = 1 / (seen + 1);
  return after;
}

/// How a program ends is not seen before it ends: it takes anything from nothing to as long as it
/// took to begin, but no more than run_end of the run. As a standard deviation.
double end_s(const RunSeries& series, double total_s) {
  return std::min(series.before_s, run_end * total_s) / 2;
}

/// Adds an independent error to every scenario.
void add_independent_error(std::vector<Component>& scenarios, double below_s, double above_s) {
  for (auto& scenario : scenarios) {
    scenario.below = std::hypot(scenario.below, below_s);
    scenario.above = std::hypot(scenario.above, above_s);
  }
}

/// Every scenario, without and with what comes after epochs and was not seen: from nothing to
/// unseen_s.
std::vector<Component> with_unseen_gap(const std::vector<Component>& scenarios,
                                       const After& after) {
  if (after.unseen_probability == 0) {
    return scenarios;
  }
  auto all = scenarios;
  for (auto& scenario : all) {
    scenario.weight *= 1 - after.unseen_probability;
  }
  for (auto scenario : scenarios) {
    scenario.weight *= after.unseen_probability;
    scenario.center += after.unseen_s / 2;
    scenario.below = std::hypot(scenario.below, after.unseen_s / 2);
    scenario.above = std::hypot(scenario.above, after.unseen_s / 2);
    all.push_back(scenario);
  }
  return all;
}

/// Every scenario with every deviation that the noise of the remaining work may have.
std::vector<Component> with_noise(const std::vector<Component>& scenarios, double work,
                                  const Steady& steady) {
  constexpr std::size_t enough = 12;  // deviations: more cost time and change next to nothing
  const double blocks = work / steady.block_work;
  const double noise_work = steady.block_work * std::sqrt(blocks + blocks * blocks / steady.blocks);
  std::vector<Component> all;
  for (const auto& deviation : in_groups(steady.deviations, enough)) {
    auto some = scenarios;
    add_independent_error(some, deviation.value * noise_work, deviation.value * noise_work);
    for (auto& scenario : some) {
      scenario.weight *= deviation.probability;
    }
    all.insert(all.end(), some.begin(), some.end());
  }
  return all.empty() ? scenarios : all;
}

/// Whether a step took longer than the typical one by more than epoch_tolerance.
bool any_stalls(const std::vector<Step>& steps) {
  const auto rates = rates_of(steps);
  return *std::max_element(rates.begin(), rates.end()) > (1 + epoch_tolerance) * median_of(rates);
}

/// Forecast::well_behaved.
bool is_well_behaved(const std::vector<double>& step_s, const Steady& steady) {
  if (steady.constant * positive_evidence < 1 - steady.constant) {
    return false;
  }
  if (step_s.size() <= 2) {
    const auto [least, most] = std::minmax_element(step_s.begin(), step_s.end());
    return *most <= (1 + machine_tolerance) * *least;
  }
  const auto moments = moments_of({step_s.begin() + 1, step_s.end()});
  const auto freedom = static_cast<double>(step_s.size() - 2);
  return moments.squares <=
         chi_squared_quantile(0.95, freedom) * square(usual_deviation * moments.mean);
}

}  // namespace

std::variant<Forecast, Refusal> model_forecast(const RunSeries& series) {
  if (auto problem = problem_of(series)) {
    return *problem;
  }
  const auto steps = series_steps(series);
  const auto found = steady_state(steps);
  if (const auto* refusal = std::get_if<Refusal>(&found)) {
    return *refusal;
  }
  const auto& steady = std::get<Steady>(found);
  const auto asked = first_steps(steps, series_work(series));
  const auto measured = sum_of(asked);
  const double left = std::max(0.0, series_work(series) - measured.work);
  if (left > 0 && steady.rate <= 0) {
    return Refusal{"the last steps took no time: they were skipped, or their times are too coarse"};
  }
  const double rest_s = seconds_of_rest(left, steady);
  const auto after = after_epochs(series, steady.rate * series_work(series) / epochs_asked(series));

  Forecast result;
  result.parts = {{PartKind::before, series.before_s},
                  {PartKind::first_step, asked.front().seconds},
                  {PartKind::other_steps, measured.seconds - asked.front().seconds + rest_s},
                  {PartKind::after_epochs, after.seconds}};
  result.spent_s = series.before_s + measured.seconds;
  result.total_s.value = result.spent_s + rest_s + after.seconds;
  result.rest_s = rest_s;
  result.rest_share = left / series_work(series) * epochs_asked(series) /
                      (epochs_asked(series) + series.epochs_before);
  result.after_epoch_s = series.after_epoch_s;
  auto scenarios = rest_scenarios(left, measured.work, steady);
  if (series.steps_per_epoch == 1 && steps.size() > factors_by_epochs_seen.size() && left > 0 &&
      !any_stalls(steps_after(steps, steps.size() - steady.steps))) {
    const double epoch_work = measured.work / static_cast<double>(asked.size());
    scenarios = with_unseen_stalls(std::move(scenarios), steady.rate * epoch_work,
                                   static_cast<double>(asked.size()), left / epoch_work);
  }
  add_independent_error(
      scenarios, after.below_s,
      std::hypot(after.above_s, left > 0 ? end_s(series, result.total_s.value) : 0));
  scenarios = with_noise(with_unseen_gap(scenarios, after), left, steady);
  result.total_s = with_intervals_of(scenarios, result.total_s.value,
                                     result.spent_s + after.seconds, result.spent_s);
  result.well_behaved = is_well_behaved(series.step_s, steady);
  result.classification = steady.classification;
  result.reasons = steady.reasons;
  result.steady_step_s = steady.rate * sum_of(steps).work / static_cast<double>(steps.size());
  if (!std::isfinite(result.total_s.interval_95.high)) {
    return Refusal{"the times are too large to add up"};
  }
  return result;
}

double part_s(const Forecast& forecast, PartKind kind) {
  double sum_s = 0;
  for (const auto& part : forecast.parts) {
    sum_s += part.kind == kind ? part.seconds : 0;
  }
  return sum_s;
}

Forecast for_another_run(Forecast forecast) {
  const auto widened = [&](const Interval& interval, double level) -> Interval {
    const double half_width_s = normal_half_width(level) * between_runs * forecast.total_s.value;
    return {std::min(interval.low, forecast.total_s.value - half_width_s),
            std::max(interval.high, forecast.total_s.value + half_width_s)};
  };
  forecast.total_s.interval_80 = widened(forecast.total_s.interval_80, 0.80);
  forecast.total_s.interval_95 = widened(forecast.total_s.interval_95, 0.95);
  return forecast;
}

Forecast as_shipped(const Forecast& forecast, const RunSeries& series) {
  const bool of_epochs = series.steps_per_epoch == 1;
  return of_epochs ? calibrated(forecast, shipped_calibration(series.step_s.size())) : forecast;
}

std::variant<Forecast, Refusal> forecast(const RunSeries& series) {
  auto answer = model_forecast(series);
  if (auto* found = std::get_if<Forecast>(&answer)) {
    *found = as_shipped(*found, series);
  }
  return answer;
}

}  // namespace epochcast::forecast
