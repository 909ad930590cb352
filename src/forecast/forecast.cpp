#include "src/forecast/forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "src/forecast/prior_constants.hpp"
#include "src/forecast/regression.hpp"

namespace epochcast::forecast {
namespace {

bool all_from(double least, const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(),
                     [&](double value) { return std::isfinite(value) && value >= least; });
}

double epochs_asked(const Series& series) {
  return static_cast<double>(series.epochs) - series.epochs_before;
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
  if (!all_from(0, series.step_s) ||
      !all_from(0, {series.before_s, series.after_epoch_s, series.epochs_before})) {
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

/// The time of the remaining work, and standard deviations of its error.
struct Rest {
  double seconds = 0;
  double scatter_s = 0;  ///< Estimated from the steps.
  double below_s = 0;    ///< Other error toward shorter times, of known size.
  double above_s = 0;    ///< Other error toward longer times, of known size.
};

/// A drift continues for as much work as it was measured over; then the rate stays constant. The
/// drift may equally well stop at once, or go twice as far.
Rest rest_of(double work, const Steady& steady) {
  const double reach = std::min(work, steady.drift_work);
  const double drift_s = steady.rate_change * reach * (work - reach / 2);
  const double blocks = work / steady.block_work;
  const double either_s = std::hypot(between_runs * steady.rate * work, drift_s / std::sqrt(3.0));
  return {.seconds = steady.rate * work + drift_s,
          .scatter_s = steady.block_deviation * steady.block_work *
                       std::sqrt(blocks + blocks * blocks / steady.blocks),
          .below_s = std::hypot(either_s, steady.doubt_below * work),
          .above_s = std::hypot(either_s, steady.doubt_above * work)};
}

Interval interval_of(const Forecast& forecast, const Rest& rest, double level, double freedom) {
  const double scatter_s = student_reach(level, freedom) * rest.scatter_s;
  const double reach = normal_reach(level);
  return {.low_s = std::max(forecast.spent_s,
                            forecast.total_s - std::hypot(scatter_s, reach * rest.below_s)),
          .high_s = forecast.total_s + std::hypot(scatter_s, reach * rest.above_s)};
}

}  // namespace

std::variant<Forecast, Refusal> forecast(const Series& series) {
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
  const auto rest = rest_of(std::max(0.0, work_of(series) - measured.work), steady);
  const double after_epochs_s = std::ceil(epochs_asked(series)) * series.after_epoch_s;

  Forecast result;
  result.parts = {{"before", series.before_s},
                  {"first step", asked.front().seconds},
                  {"other steps", measured.seconds - asked.front().seconds + rest.seconds},
                  {"after epochs", after_epochs_s}};
  result.spent_s = series.before_s + measured.seconds;
  result.total_s = result.spent_s + rest.seconds + after_epochs_s;
  result.interval_80 = interval_of(result, rest, 0.80, steady.freedom);
  result.interval_95 = interval_of(result, rest, 0.95, steady.freedom);
  result.classification = steady.classification;
  result.reasons = steady.reasons;
  result.steady_step_s = steady.rate * sum_of(steps).work / static_cast<double>(steps.size());
  if (!std::isfinite(result.interval_95.high_s)) {
    return Refusal{"the times are too large to add up"};
  }
  return result;
}

}  // namespace epochcast::forecast
