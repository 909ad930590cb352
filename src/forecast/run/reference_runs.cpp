#include "src/forecast/run/reference_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "src/base/core/statistics.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/run/prior_constants.hpp"

namespace epochcast::forecast {
namespace {

double total(std::vector<double>::const_iterator from, std::vector<double>::const_iterator to) {
  return std::accumulate(from, to, 0.0);
}

double total_weight(const std::vector<ReferenceRatio>& all) {
  return std::accumulate(all.begin(), all.end(), 0.0,
                         [](double sum, const ReferenceRatio& one) { return sum + one.weight; });
}

/// The ratio, as a logarithm, that a share `probability` of the weight does not exceed: each has
/// half of its own weight below it, and between two it is interpolated. `all` is sorted.
double log_ratio_at(const std::vector<ReferenceRatio>& all, double probability) {
  const double wanted = probability * total_weight(all);
  double before = 0;  // the weight below the middle of `last`
  const ReferenceRatio* last = nullptr;
  double sum = 0;
  for (const auto& one : all) {
    const double here = sum + one.weight / 2;
    if (here >= wanted) {
      if (last == nullptr || here == before) {
        return one.log_ratio;
      }
      const double part = (wanted - before) / (here - before);
      return last->log_ratio + part * (one.log_ratio - last->log_ratio);
    }
    before = here;
    last = &one;
    sum += one.weight;
  }
  return all.back().log_ratio;
}

/// Standard error of the logarithm of the ratio of a further system: the weighted spread of the
/// systems, and what epochs of one run differ by, as the noise of units in forecast.hpp.
double log_error(const std::vector<ReferenceRatio>& all, double middle) {
  const double sum = total_weight(all);
  double squares = 0;
  double weights_squared = 0;
  for (const auto& one : all) {
    squares += one.weight / sum * square(one.log_ratio - middle);
    weights_squared += square(one.weight / sum);
  }
  const double count = 1 / weights_squared;  // of systems with equal weights (Kish)
  const double variance =
      (noise_freedom * square(usual_noise) + count * squares) / (noise_freedom + count - 1);
  return std::sqrt(variance * (1 + 1 / count));
}

/// The interval about `value`: with the probability 1 / (near + 1) that of the forecast without
/// reference runs, so their variances are averaged with these weights.
Interval interval_about(double value, double half_width_s, const FromReferenceRuns& found,
                        const Forecast* without, Interval Prediction::*level) {
  double below = square(half_width_s);
  double above = below;
  if (without != nullptr) {
    const double other = 1 / (found.near + 2);
    const auto& interval = without->total_s.*level;
    below += other * (square(std::max(0.0, value - interval.low)) - below);
    above += other * (square(std::max(0.0, interval.high - value)) - above);
  }
  return {std::max(found.forecast.spent_s, value - std::sqrt(below)), value + std::sqrt(above)};
}

std::optional<Refusal> problem_with(const RunSeries& seen) {
  if (seen.step_s.empty() || seen.steps_per_epoch != 1) {
    return Refusal{"no epoch has ended: relatives are compared by whole epochs"};
  }
  if (seen.epochs_before > 0) {
    return Refusal{"its first epochs are in another record: relatives are compared from the first"};
  }
  const auto takes_time = [](double epoch_s) { return std::isfinite(epoch_s) && epoch_s > 0; };
  if (!std::ranges::all_of(seen.step_s, takes_time)) {
    return Refusal{"an epoch took no time, or a time that is no number"};
  }
  if (seen.epochs <= std::ssize(seen.step_s)) {
    return Refusal{"all its epochs have ended: there is nothing left to forecast"};
  }
  return std::nullopt;
}

/// Why the reference runs do not tell how this run goes on.
std::optional<Refusal> doubt_of(const std::vector<ReferenceRatio>& all,
                                const FromReferenceRuns& found, double scale_s,
                                const std::optional<Forecast>& without) {
  if (found.near < least_near) {
    return Refusal{
        fmt::format("the run resembles none of {} with relatives, neither in its speed "
                    "nor in its course so far",
                    counted(found.systems, "system"))};
  }
  const double spread_s =
      scale_s * (std::exp(log_ratio_at(all, 0.9)) - std::exp(log_ratio_at(all, 0.1)));
  if (without && spread_s > without->total_s.interval_80.high - without->total_s.interval_80.low) {
    return Refusal{
        fmt::format("the relatives disagree: the middle 80 % of them differ by {:.1f} "
                    "%, more than the run is uncertain without them",
                    100 * std::expm1(found.spread))};
  }
  return std::nullopt;
}

/// Sets the parts of the forecast from the share of the rest that is in epochs.
void set_parts(const RunSeries& seen, const std::vector<ReferenceRatio>& all, double rest_s,
               Forecast& forecast) {
  double epochs_s = 0;
  for (const auto& one : all) {
    epochs_s += rest_s * one.epochs_share * one.weight / total_weight(all);
  }
  const double others_s = total(seen.step_s.begin() + 1, seen.step_s.end()) + epochs_s;
  const double left = static_cast<double>(seen.epochs - std::ssize(seen.step_s)) - seen.unfinished;
  forecast.steady_step_s = left > 0 ? epochs_s / left : 0;
  forecast.parts = {{PartKind::before, seen.before_s},
                    {PartKind::first_step, seen.step_s.front()},
                    {PartKind::other_steps, others_s},
                    {PartKind::after_epochs,
                     forecast.total_s.value - seen.before_s - seen.step_s.front() - others_s}};
}

std::string reason_of(const FromReferenceRuns& found) {
  return fmt::format(
      "relatives on {}: the run resembles {:.1f} of them, the middle 80 % of which differ by "
      "{:.1f} %{}",
      counted(found.systems, "system"), found.near, 100 * std::expm1(found.spread),
      found.agree ? "" : ": they do not agree well");
}

}  // namespace

std::variant<FromReferenceRuns, Refusal> forecast_from_reference_runs(
    const RunSeries& seen, const std::vector<ReferenceRun>& reference_runs,
    const std::optional<Forecast>& without) {
  if (auto problem = problem_with(seen)) {
    return *problem;
  }
  const auto all = reference_ratios(seen, reference_runs);
  if (all.empty()) {
    return Refusal{
        fmt::format("no relative has more than {}", counted(seen.step_s.size(), "epoch"))};
  }
  FromReferenceRuns found{.systems = all.size(), .near = total_weight(all)};
  found.spread = log_ratio_at(all, 0.9) - log_ratio_at(all, 0.1);
  found.agree = found.near >= fewest_systems && found.spread <= machine_tolerance;
  const double scale_s = typical_epoch_s(seen.step_s, seen.step_s.size());
  if (auto doubt = doubt_of(all, found, scale_s, without)) {
    return *doubt;
  }
  const double middle = log_ratio_at(all, 0.5);
  const double rest_s = scale_s * std::exp(middle);
  auto& forecast = found.forecast;
  forecast.spent_s = seen.before_s + total(seen.step_s.begin(), seen.step_s.end());
  const double from_s =
      forecast.spent_s + total(seen.gaps_s.begin(),
                               seen.gaps_s.begin() + static_cast<std::ptrdiff_t>(gaps_ended(seen)));
  forecast.total_s.value = from_s + rest_s;
  set_parts(seen, all, rest_s, forecast);
  const double error_s = rest_s * log_error(all, middle);
  const auto* other = without ? &*without : nullptr;
  const double value = forecast.total_s.value;
  forecast.total_s = {
      value, interval_about(value, errors_80 * error_s, found, other, &Prediction::interval_80),
      interval_about(value, errors_95 * error_s, found, other, &Prediction::interval_95)};
  forecast.classification = "relatives";
  forecast.reasons = {reason_of(found)};
  if (!std::isfinite(forecast.total_s.interval_95.high)) {
    return Refusal{"the times are too large to add up"};
  }
  return found;
}

}  // namespace epochcast::forecast
