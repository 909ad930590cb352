#include "src/forecast/run/forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "src/base/core/statistics.hpp"
#include "src/forecast/run/conformal.hpp"
#include "src/forecast/run/mixture.hpp"
#include "src/forecast/run/pauses.hpp"
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

/// Blocks: the level changes by more, and what the second of two is faster is warm-up of the first.
Steady of_blocks(Steady steady, const std::vector<Step>& steps) {
  steady.level_change = level_change_of_blocks;
  if (steps.size() == 2) {
    steady.rate = steps[0].rate() > steps[1].rate() ? steps[1].rate() : steady.rate;
  }
  return steady;
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
bool is_well_behaved(const std::vector<double>& rates, const Steady& steady) {
  if (steady.constant * positive_evidence < 1 - steady.constant) {
    return false;
  }
  if (rates.size() <= 2) {
    const auto [least, most] = std::minmax_element(rates.begin(), rates.end());
    return *most <= (1 + machine_tolerance) * *least;
  }
  const auto moments = moments_of({rates.begin() + 1, rates.end()});
  const auto freedom = static_cast<double>(rates.size() - 2);
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
  const auto steady =
      series.of_blocks ? of_blocks(std::get<Steady>(found), steps) : std::get<Steady>(found);
  const auto asked = first_steps(steps, series_work(series));
  const auto measured = sum_of(asked);
  const double left = std::max(0.0, series_work(series) - measured.work);
  if (left > 0 && steady.rate <= 0) {
    return Refusal{"the last steps took no time: they were skipped, or their times are too coarse"};
  }
  const double rest_s = seconds_of_rest(left, steady);
  const auto after = pauses_of(series, steady.rate);

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
  if (series.steps_per_epoch == 1 && !series.of_blocks &&
      steps.size() > factors_by_epochs_seen.size() && left > 0 &&
      !any_stalls(steps_after(steps, steps.size() - steady.steps))) {
    const double epoch_work = measured.work / static_cast<double>(asked.size());
    scenarios = with_unseen_stalls(std::move(scenarios), steady.rate * epoch_work,
                                   static_cast<double>(asked.size()), left / epoch_work);
  }
  add_independent_error(
      scenarios, after.below_s,
      std::hypot(after.above_s, left > 0 ? end_s(series, result.total_s.value) : 0));
  scenarios = with_noise(with_possible(std::move(scenarios), after.possible), left, steady);
  result.total_s = with_intervals_of(scenarios, result.total_s.value,
                                     result.spent_s + after.seconds, result.spent_s);
  result.pauses_known = after.known;
  result.well_behaved = is_well_behaved(rates_of(steps), steady);
  result.classification = steady.classification;
  result.reasons = steady.reasons;
  result.reasons.insert(result.reasons.end(), after.reasons.begin(), after.reasons.end());
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
  if (series.steps_per_epoch != 1) {
    return forecast;
  }
  const auto seen = series.step_s.size();
  auto factors = series.of_blocks ? shipped_calibration(factors_by_blocks_seen, seen)
                                  : shipped_calibration(factors_by_epochs_seen, seen);
  if (!forecast.pauses_known) {
    factors.of_95 = std::max(1.0, factors.of_95);
    factors.of_95_other = std::max(1.0, factors.of_95_other);
  }
  return calibrated(forecast, factors);
}

std::variant<Forecast, Refusal> forecast(const RunSeries& series) {
  auto answer = model_forecast(series);
  if (auto* found = std::get_if<Forecast>(&answer)) {
    *found = as_shipped(*found, series);
  }
  return answer;
}

}  // namespace epochcast::forecast
