#include "src/forecast/forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "src/forecast/conformal.hpp"
#include "src/forecast/mixture.hpp"
#include "src/forecast/prior_constants.hpp"
#include "src/forecast/shipped_stretch.hpp"

namespace epochcast::forecast {
namespace {

bool all_from(double least, const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(),
                     [&](double value) { return std::isfinite(value) && value >= least; });
}

double epochs_asked(const Series& series) {
  return static_cast<double>(series.epochs) - series.unfinished - series.epochs_before;
}

/// The work of the epochs to forecast; 0: not known.
double work_of(const Series& series) {
  const double per_epoch = series.step_work.empty() ? static_cast<double>(series.steps_per_epoch)
                                                    : series.work_per_epoch;
  const double work = per_epoch * epochs_asked(series);
  return std::isfinite(work) ? std::max(0.0, work) : 0;
}

std::optional<Refusal> problem_of(const Series& series) {
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
  if (work_of(series) == 0) {
    return Refusal{"the amount of work is not known"};
  }
  if (series.steps_per_epoch > 1 && count < fewest_iterations) {
    return Refusal{fmt::format("fewer than {} iterations measured: the warm-up cannot be separated",
                               fewest_iterations)};
  }
  return std::nullopt;
}

std::vector<Step> steps_of(const Series& series) {
  std::vector<Step> steps;
  for (std::size_t i = 0; i < series.step_s.size(); ++i) {
    steps.push_back(
        {.seconds = series.step_s[i], .work = series.step_work.empty() ? 1 : series.step_work[i]});
  }
  return steps;
}

/// The first steps, up to `work` in total, the last one in part; all steps if they do less.
std::vector<Step> first_of(std::vector<Step> steps, double work) {
  for (auto step = steps.begin(); step != steps.end(); work -= step->work, ++step) {
    if (step->work >= work) {
      *step = {.seconds = step->seconds * (work / step->work), .work = work};
      steps.erase(step + 1, steps.end());
      break;
    }
  }
  return steps;
}

/// What is known of the remaining work.
struct Rest {
  double work = 0;
  double seconds = 0;
  double below_s = 0;  ///< Standard deviation of its error toward shorter times, without scatter.
  double above_s = 0;  ///< The same toward longer times.
  /// Standard deviation of what changes of the level add, for a level that changes as usual.
  double level_s = 0;
};

double square(double value) {
  return value * value;
}

/// A drift continues for as much work as it was measured over; then the rate stays constant. The
/// drift may equally well stop at once, or go twice as far. The level may change once each time
/// that the work doubles.
Rest rest_of(double work, double measured_work, const Steady& steady) {
  const double reach = std::min(work, steady.drift_work);
  const double drift_s = steady.rate_change * reach * (work - reach / 2);
  const double doublings = std::log2(1 + work / measured_work);
  const double either_s = drift_s / std::sqrt(3.0);
  return {.work = work,
          .seconds = steady.rate * work + drift_s,
          .below_s = std::hypot(either_s, steady.doubt_below * work),
          .above_s = std::hypot(either_s, steady.doubt_above * work),
          .level_s = level_change * std::sqrt(doublings) * steady.rate * work};
}

/// Levels change by more in some runs than in others, as scatter does (scatter.hpp): the standard
/// deviations that are possible if nothing was seen of it, in units of the usual one.
std::vector<Deviation> level_changes() {
  constexpr std::size_t together = 4;  // of the grid of deviations, which is finer than needed
  std::vector<Deviation> changes;
  const auto all = deviations_from(0, 0, 1);
  for (std::size_t i = 0; i < all.size(); i += together) {
    Deviation change;
    for (std::size_t j = i; j < std::min(i + together, all.size()); ++j) {
      change.probability += all[j].probability;
      change.value += all[j].probability * all[j].value;
    }
    change.value /= change.probability;
    changes.push_back(change);
  }
  return changes;
}

/// However much is possible besides it, the steady rate keeps a quarter of the probability.
constexpr double most_others = 0.75;

/// The time of the remaining work as the steady rate has it, and as each other rate has it.
std::vector<Component> ways_on(const Rest& rest, const Steady& steady) {
  double others = 0;
  for (const auto& other : steady.others) {
    others += other.probability;
  }
  const double share = others > most_others ? most_others / others : 1;
  static const auto changes = level_changes();  // the same for every run
  std::vector<Component> ways;
  for (const auto& change : changes) {
    ways.push_back({.weight = (1 - share * others) * change.probability,
                    .center = rest.seconds,
                    .below = std::hypot(rest.below_s, change.value * rest.level_s),
                    .above = std::hypot(rest.above_s, change.value * rest.level_s)});
  }
  for (const auto& other : steady.others) {
    constexpr double error_of_change = 0.3;  // of a slope through five steps
    const double change_s = other.rate_change * square(rest.work) / 2;
    // the mean of a walk of n steps is off its start by the deviation of a step times sqrt(n / 3)
    const double wander_s = other.wander * std::sqrt(rest.work / 3) * rest.work;
    const double deviation_s =
        std::hypot(std::hypot(other.deviation, level_change * other.rate) * rest.work, wander_s,
                   error_of_change * change_s);
    ways.push_back({.weight = share * other.probability,
                    .center = other.rate * rest.work + change_s,
                    .below = deviation_s,
                    .above = deviation_s});
  }
  return ways;
}

/// The time after epochs, and its error as standard deviations. Times seen scatter like `gaps_s`,
/// and half their mean counts like three more of them.
struct After {
  double seconds = 0;
  double below_s = 0;
  double above_s = 0;
  double rare_s =
      0;  ///< What comes only every so many epochs and was not seen, in all of the rest,
  double rare_probability = 0;
};

After after_epochs(const Series& series, double epoch_s) {
  const double epochs = std::ceil(epochs_asked(series));
  After after{.seconds = epochs * series.after_epoch_s};
  const auto seen = static_cast<double>(series.gaps_s.size());
  const double left = std::max(0.0, epochs - seen);
  if (seen == 0 || left == 0) {
    return after;
  }
  constexpr double usual_freedom = 3;
  const double usual_s = series.after_epoch_s / 2;
  const double deviation_s =
      std::sqrt((usual_freedom * square(usual_s) + moments_of(series.gaps_s).squares) /
                (usual_freedom + seen - 1));
  after.above_s = deviation_s * std::sqrt(left + left * left / seen);
  after.below_s = std::min(after.above_s, left * series.after_epoch_s);
  after.rare_s = rare_gap * epoch_s * left / (seen + 1);
  after.rare_probability = 1 / (seen + 1);
  return after;
}

/// How a program ends is not seen before it ends: it takes anything from nothing to as long as it
/// took to begin. As a standard deviation.
double end_s(const Series& series) {
  return series.before_s / 2;
}

/// Adds an independent error to every way on.
void blur(std::vector<Component>& ways, double below_s, double above_s) {
  for (auto& way : ways) {
    way.below = std::hypot(way.below, below_s);
    way.above = std::hypot(way.above, above_s);
  }
}

/// Every way on, without and with what comes after epochs and was not seen: from nothing to rare_s.
std::vector<Component> with_rare(const std::vector<Component>& ways, const After& after) {
  if (after.rare_probability == 0) {
    return ways;
  }
  auto all = ways;
  for (auto& way : all) {
    way.weight *= 1 - after.rare_probability;
  }
  for (auto way : ways) {
    way.weight *= after.rare_probability;
    way.center += after.rare_s / 2;
    way.below = std::hypot(way.below, after.rare_s / 2);
    way.above = std::hypot(way.above, after.rare_s / 2);
    all.push_back(way);
  }
  return all;
}

/// Every way on with every deviation that the scatter of the remaining work may have.
std::vector<Component> scattered(const std::vector<Component>& ways, double work,
                                 const Steady& steady) {
  const double blocks = work / steady.block_work;
  const double scatter_work =
      steady.block_work * std::sqrt(blocks + blocks * blocks / steady.blocks);
  std::vector<Component> all;
  for (const auto& deviation : steady.deviations) {
    auto some = ways;
    blur(some, deviation.value * scatter_work, deviation.value * scatter_work);
    for (auto& way : some) {
      way.weight *= deviation.probability;
    }
    all.insert(all.end(), some.begin(), some.end());
  }
  return all.empty() ? ways : all;
}

/// `from_s` is what the ways on add to.
Interval interval_of(const Forecast& forecast, const std::vector<Component>& ways, double from_s,
                     double level) {
  const double low_s = from_s + quantile_of(ways, (1 - level) / 2);
  const double high_s = from_s + quantile_of(ways, (1 + level) / 2);
  return {.low_s = std::max(forecast.spent_s, std::min(low_s, forecast.total_s)),
          .high_s = std::max(high_s, forecast.total_s)};
}

}  // namespace

std::variant<Forecast, Refusal> model_forecast(const Series& series) {
  if (auto problem = problem_of(series)) {
    return *problem;
  }
  const auto steps = steps_of(series);
  const auto found = steady_state(steps);
  if (const auto* refusal = std::get_if<Refusal>(&found)) {
    return *refusal;
  }
  const auto& steady = std::get<Steady>(found);
  const auto asked = first_of(steps, work_of(series));
  const auto measured = sum_of(asked);
  const auto rest = rest_of(std::max(0.0, work_of(series) - measured.work), measured.work, steady);
  const auto after = after_epochs(series, steady.rate * work_of(series) / epochs_asked(series));

  Forecast result;
  result.parts = {{"before", series.before_s},
                  {"first step", asked.front().seconds},
                  {"other steps", measured.seconds - asked.front().seconds + rest.seconds},
                  {"after epochs", after.seconds}};
  result.spent_s = series.before_s + measured.seconds;
  result.total_s = result.spent_s + rest.seconds + after.seconds;
  auto ways = ways_on(rest, steady);
  blur(ways, after.below_s, std::hypot(after.above_s, rest.work > 0 ? end_s(series) : 0));
  ways = scattered(with_rare(ways, after), rest.work, steady);
  const double from_s = result.spent_s + after.seconds;
  result.interval_80 = interval_of(result, ways, from_s, 0.80);
  result.interval_95 = interval_of(result, ways, from_s, 0.95);
  result.classification = steady.classification;
  result.reasons = steady.reasons;
  result.steady_step_s = steady.rate * sum_of(steps).work / static_cast<double>(steps.size());
  if (!std::isfinite(result.interval_95.high_s)) {
    return Refusal{"the times are too large to add up"};
  }
  return result;
}

Forecast as_shipped(const Forecast& forecast, const Series& series) {
  const bool of_epochs = series.steps_per_epoch == 1;
  return of_epochs ? stretched(forecast, shipped_stretch(series.step_s.size())) : forecast;
}

std::variant<Forecast, Refusal> forecast(const Series& series) {
  auto answer = model_forecast(series);
  if (auto* found = std::get_if<Forecast>(&answer)) {
    *found = as_shipped(*found, series);
  }
  return answer;
}

}  // namespace epochcast::forecast
