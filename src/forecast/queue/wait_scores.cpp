#include "src/forecast/queue/wait_scores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/base/core/statistics.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/run/conformal.hpp"
#include "src/forecast/statistics/conformal_score.hpp"

namespace epochcast::queue {
namespace {

constexpr double level = 0.8;
/// The accounting counts whole seconds: a job that starts at once has waited 0 or 1.
constexpr double tick_s = 1;

/// The unit of the score: half the interval, and the steps in which a scheduler acts.
double unit_s(const forecast::Prediction& wait, double resolution_s) {
  return (wait.interval_80.high - wait.interval_80.low) / 2 + resolution_s;
}

double outside_s(const forecast::Interval& interval, double actual_s) {
  return std::max(interval.low - actual_s, actual_s - interval.high);
}

/// By how many units the parts of a forecast move.
struct Moves {
  double low = 0;  ///< Down.
  double median = 0;
  double high = 0;  ///< Up.
};

/// From the waits that had ended at `time_s`; no moves with too few of them.
Moves moves_at(const std::vector<PastWait>& past, double time_s, double resolution_s) {
  std::vector<double> below, off, above;
  for (const auto& wait : past) {
    const auto& interval = wait.forecast_s.interval_80;
    if (wait.started_s <= time_s && std::isfinite(interval.high)) {
      const double unit = unit_s(wait.forecast_s, resolution_s);
      below.push_back((interval.low - wait.actual_s) / unit);
      off.push_back((wait.actual_s - wait.forecast_s.value) / unit);
      above.push_back((wait.actual_s - interval.high) / unit);
    }
  }
  if (below.size() < forecast::fewest_past_forecasts) {
    return {};
  }
  constexpr double of_each_side = (1 + level) / 2;
  return {forecast::conformal_score(below, of_each_side), quantile(off, 0.5),
          forecast::conformal_score(above, of_each_side)};
}

forecast::Prediction moved(forecast::Prediction wait, const Moves& moves, double resolution_s) {
  const double unit = unit_s(wait, resolution_s);
  if (!std::isfinite(unit)) {
    return wait;
  }
  auto& interval = wait.interval_80;
  const double low_s = std::max(0.0, interval.low - moves.low * unit);
  const double high_s = std::max(0.0, interval.high + moves.high * unit);
  interval = {std::min(low_s, high_s), std::max(low_s, high_s)};
  wait.value = std::clamp(wait.value + moves.median * unit, interval.low, interval.high);
  return wait;
}

}  // namespace

forecast::Prediction wait_of_draws(const std::vector<double>& draws_s) {
  auto sorted = draws_s;
  std::ranges::sort(sorted);
  // A later value lies below the k-th of n draws with the probability k/(n + 1).
  const auto at = [&](double share) {
    const double rank = std::clamp(share * static_cast<double>(sorted.size() + 1), 1.0,
                                   static_cast<double>(sorted.size()));
    const auto below = static_cast<std::size_t>(rank);
    const double part = rank - static_cast<double>(below);
    const double low_s = sorted[below - 1];
    return part > 0 && std::isfinite(low_s) ? low_s + part * (sorted[below] - low_s) : low_s;
  };
  return {at(0.5), {at(0.1), at(0.9) + tick_s}};
}

forecast::Prediction calibrated(const forecast::Prediction& wait_s,
                                const std::vector<PastWait>& past, double resolution_s) {
  return moved(wait_s, moves_at(past, HUGE_VAL, resolution_s), resolution_s);
}

MeasuredError measured_error(const std::vector<PastWait>& past) {
  constexpr double penalty = 2 / (1 - level);
  MeasuredError error;
  std::vector<double> errors_s;
  double sum_s = 0;
  for (const auto& wait : past) {
    const auto& made = wait.forecast_s;
    if (!std::isfinite(made.interval_80.high)) {
      continue;
    }
    ++error.n;
    const double missed_s = outside_s(made.interval_80, wait.actual_s);
    error.inside += missed_s <= 0 ? 1 : 0;
    errors_s.push_back(std::abs(made.value - wait.actual_s));
    sum_s += made.interval_80.high - made.interval_80.low + penalty * std::max(0.0, missed_s);
  }
  if (error.n > 0) {
    error.median_error_s = quantile(errors_s, 0.5);
    error.mean_score_s = sum_s / static_cast<double>(error.n);
  }
  return error;
}

MeasuredError measured_error(const std::vector<PastWait>& past, double resolution_s) {
  auto made = past;
  for (auto& wait : made) {
    wait.forecast_s =
        moved(wait.forecast_s, moves_at(past, wait.eligible_s, resolution_s), resolution_s);
  }
  return measured_error(made);
}

std::string error_text(const MeasuredError& error) {
  if (error.n == 0) {
    return "its error was not measured: the accounting shows no past wait that could be forecast";
  }
  return fmt::format("measured on {}: {} in their 80 % interval, median error {}",
                     counted(error.n, "past wait"), error.inside,
                     format_duration(std::round(error.median_error_s)));
}

}  // namespace epochcast::queue
