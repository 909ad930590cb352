#include "src/forecast/run/forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "src/base/core/statistics.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/run/pauses.hpp"
#include "src/forecast/run/prior_constants.hpp"
#include "src/forecast/run/unit_rate.hpp"
#include "src/forecast/statistics/regression.hpp"

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

/// How a program ends is not seen before it ends: it takes anything from nothing to as long as it
/// took to begin, but no more than run_end of the run. As a standard deviation.
double end_s(const RunSeries& series, double total_s) {
  return std::min(series.before_s, run_end * total_s) / 2;
}

bool are_steps(const RunSeries& series) {
  return series.steps_per_epoch > 1 || series.of_steps;
}

bool has_epochs(const RunSeries& series) {
  return !series.of_blocks && !(series.steps_per_epoch > 1 && series.epochs == 1);
}

/// The units of the model, without the warm-up that the first epoch's own steps show.
std::vector<Step> units_of(const RunSeries& series, const std::vector<Step>& steps) {
  auto units = are_steps(series) ? in_blocks(steps) : steps;
  units.front().seconds -= std::min(units.front().seconds, series.warm_up_s.value_or(0));
  return units;
}

/// What was seen of the run, as a part of its work.
double share_seen(double left, const RunSeries& series) {
  return 1 - left / series_work(series);
}

/// Adds what the units do not show.
void add_unseen(const RunSeries& series, double left, const Pauses& pauses, std::size_t units,
                UnitRate& rate) {
  const double seen = share_seen(left, series);
  if (has_epochs(series) && are_steps(series)) {  // within the first epoch
    rate.below = std::hypot(rate.below, one_unit_below);
    rate.above = std::hypot(rate.above, 2 * usual_noise);
  } else if (units == 1 && series.warm_up_s) {
    // It may recur in each epoch.
    const double cut = *series.warm_up_s / (series.step_s.front() - *series.warm_up_s);
    rate.above = std::hypot(2 * usual_noise, cut / errors_95);
  }
  if (series.begin_unknown) {
    const double start_up = std::min(1.0, usual_start_up_s / series.step_s.front());
    rate.below = std::hypot(rate.below, start_up / errors_95);
  }
  if (!has_epochs(series) && are_steps(series) && series.schedules.empty()) {
    rate.above =
        std::hypot(rate.above, unseen_schedule * std::max(0.0, 1 - seen / share_that_shows));
  }
  if (!pauses.known) {
    rate.above = std::hypot(rate.above, unseen_pauses * (1 - seen));
  }
}

/// The standard deviations that are independent of the rate, and the errors of the rate, in
/// seconds.
struct Errors {
  double rate_s = 0;
  double others_s = 0;
  double target_s = 0;  ///< Half of the epoch within which the run ends.

  double half_width(double errors, double level) const {
    return std::hypot(errors * rate_s, normal_half_width(level) * others_s) + target_s;
  }
};

Prediction with_intervals(double value, double least, const Errors& below, const Errors& above) {
  const auto interval = [&](double errors, double level) -> Interval {
    return {std::max(least, value - below.half_width(errors, level)),
            value + above.half_width(errors, level)};
  };
  return {value, interval(errors_80, 0.80), interval(errors_95, 0.95)};
}

/// What steps within the first epoch do not show; "": nothing of it.
std::string no_epoch_ended(const RunSeries& series) {
  std::vector<std::string> lacks;
  if (are_steps(series) && has_epochs(series)) {
    lacks.emplace_back("how much of the first one is warm-up is not known");
  }
  if (are_steps(series) && !series.of_blocks && series.after_epoch_s == 0) {
    lacks.emplace_back("the forecast lacks evaluation and checkpoints");
  }
  return lacks.empty() ? "" : "no epoch has ended: " + join(lacks, ", and ");
}

bool starts_slowly(const std::vector<Step>& units, double rate) {
  constexpr double slower = 1.02;
  return units.size() > 1 && units.front().rate() > slower * rate;
}

/// What would make the interval narrower.
std::optional<std::string> what_helps(const RunSeries& series, const std::vector<Step>& units,
                                      double left) {
  const double seen = share_seen(left, series);
  if (!has_epochs(series) && are_steps(series)) {
    return series.schedules.empty() && seen < share_that_shows && left > 0
               ? std::optional(fmt::format("{:.2g} % of the steps were seen: a schedule (batch "
                                           "size, length of sequences) "
                                           "that begins later is in the upper end of the intervals "
                                           "only; more steps, or a "
                                           "stated schedule, make them narrower",
                                           100 * seen))
               : std::nullopt;
  }
  const std::string unit = series.of_blocks ? "block" : "epoch";
  if (are_steps(series)) {
    return std::nullopt;
  }
  if (series.begin_unknown) {
    return "the output does not show when the first epoch began: its time includes the start of "
           "the program; one more epoch makes the interval narrower";
  }
  if (units.size() == 1) {
    return fmt::format(
        "a single {}: its share of warm-up is not known; one more {} makes the interval narrower",
        unit, unit);
  }
  const double difference = units[0].rate() / units[1].rate() - 1;
  if (units.size() == 2 && std::abs(difference) > warm_up_of_two) {
    return fmt::format(
        "the second {} was {:.0f} % {} than the first: warm-up or noise, which one more {} tells",
        unit, 100 * std::abs(1 - units[1].rate() / units[0].rate()),
        difference > 0 ? "faster" : "slower", unit);
  }
  return std::nullopt;
}

}  // namespace

std::variant<Forecast, Refusal> forecast(const RunSeries& series) {
  if (auto problem = problem_of(series)) {
    return *problem;
  }
  const auto steps = series_steps(series);
  const auto units = units_of(series, steps);
  const auto asked = first_steps(steps, series_work(series));
  const auto measured = sum_of(asked);
  const double rest = std::max(0.0, series_work(series) - measured.work);
  const double begun = std::min(rest, series.begun_work);
  const double left = rest - begun;
  auto rate = unit_rate(units, left);
  if (left > 0 && rate.rate <= 0) {
    return Refusal{"the last steps took no time: they were skipped, or their times are too coarse"};
  }
  const auto pauses = pauses_of(series, rate.rate);
  add_unseen(series, left, pauses, units.size(), rate);
  const double begun_s = begun > 0 ? series.begun_s : 0;
  const double unit_s = rate.rate * sum_of(steps).work / static_cast<double>(steps.size());
  const double target_s =
      series.stops_at_target && left > 0 ? std::min(unit_s, rate.rate * left) / 2 : 0;
  const double rest_s = rate.rate * left - target_s;

  Forecast result;
  result.parts = {
      {PartKind::before, series.before_s},
      {PartKind::first_step, asked.front().seconds},
      {PartKind::other_steps, measured.seconds - asked.front().seconds + begun_s + rest_s},
      {PartKind::after_epochs, pauses.seconds}};
  result.spent_s = series.before_s + measured.seconds + begun_s;
  result.rest_s = rest_s;
  result.rest_share = left / series_work(series) * epochs_asked(series) /
                      (epochs_asked(series) + series.epochs_before);
  result.after_epoch_s = series.after_epoch_s;
  result.steady_step_s = unit_s;
  const double total_s = result.spent_s + rest_s + pauses.seconds;
  const double ending_s = left > 0 ? end_s(series, total_s) : 0;
  const double first_s = series.lacks_first ? most_warm_up * unit_s : 0;
  result.total_s = with_intervals(
      total_s, result.spent_s,
      {.rate_s = rate.below * rate.rate * left, .others_s = pauses.below_s, .target_s = target_s},
      {.rate_s = rate.above * rate.rate * left,
       .others_s = std::hypot(pauses.above_s, ending_s, first_s),
       .target_s = target_s});
  result.classification =
      starts_slowly(units, rate.rate) || series.warm_up_s > 0 ? "warm-up" : "flat";
  result.reasons = pauses.reasons;
  if (!pauses.known && left > 0 && series.of_blocks) {
    result.reasons.push_back(
        "no evaluation was seen or stated: one that begins later is in the upper end of the "
        "intervals only; state its schedule if there is one");
  }
  if (auto help = what_helps(series, units, left)) {
    result.reasons.push_back(std::move(*help));
  }
  if (auto lacks = no_epoch_ended(series); !lacks.empty()) {
    result.reasons.push_back(std::move(lacks));
  }
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

}  // namespace epochcast::forecast
