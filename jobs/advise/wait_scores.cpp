#include "jobs/advise/wait_scores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/core/statistics.hpp"
#include "src/core/text.hpp"
#include "src/forecast/conformal.hpp"

namespace epochcast::jobs {
namespace {

constexpr double level = 0.8;

/// The unit of the score: half the interval, and the steps in which a scheduler acts.
double unit_s(const Wait& wait, double resolution_s) {
  return (wait.interval_80.high_s - wait.interval_80.low_s) / 2 + resolution_s;
}

double outside_s(const forecast::Interval& interval, double actual_s) {
  return std::max(interval.low_s - actual_s, actual_s - interval.high_s);
}

/// By how many units the interval must grow for 80 % of the scores; 0 with too few of them.
double growth_of(std::vector<double> scores) {
  if (scores.size() < forecast::fewest_past_forecasts) {
    return 0;
  }
  std::ranges::sort(scores);
  const auto rank =
      static_cast<std::size_t>(std::ceil(static_cast<double>(scores.size() + 1) * level));
  return scores[std::min(rank, scores.size()) - 1];
}

std::vector<double> scores_until(const std::vector<PastWait>& past, double time_s,
                                 double resolution_s) {
  std::vector<double> scores;
  for (const auto& wait : past) {
    if (wait.started_s <= time_s && std::isfinite(wait.forecast.interval_80.high_s)) {
      scores.push_back(outside_s(wait.forecast.interval_80, wait.actual_s) /
                       unit_s(wait.forecast, resolution_s));
    }
  }
  return scores;
}

Wait grown(Wait wait, double growth, double resolution_s) {
  const double by_s = growth * unit_s(wait, resolution_s);
  auto& [low_s, high_s] = wait.interval_80;
  if (std::isfinite(by_s)) {
    low_s = std::min(wait.median_s, std::max(0.0, low_s - by_s));
    high_s = std::max(wait.median_s, high_s + by_s);
  }
  return wait;
}

}  // namespace

Wait wait_of_draws(const std::vector<double>& draws_s) {
  auto sorted = draws_s;
  std::ranges::sort(sorted);
  const auto at = [&](double share) {  // by rank: a draw may be infinite
    const auto place = static_cast<std::size_t>(share * static_cast<double>(sorted.size()));
    return sorted[std::min(place, sorted.size() - 1)];
  };
  return {.median_s = at(0.5), .interval_80 = {at(0.1), at(0.9)}};
}

Wait calibrated(const Wait& wait, const std::vector<PastWait>& past, double resolution_s) {
  return grown(wait, growth_of(scores_until(past, HUGE_VAL, resolution_s)), resolution_s);
}

MeasuredError measured_error(const std::vector<PastWait>& past, double resolution_s) {
  constexpr double penalty = 2 / (1 - level);
  MeasuredError error;
  std::vector<double> errors_s;
  double sum_s = 0;
  for (const auto& wait : past) {
    const auto made = grown(
        wait.forecast, growth_of(scores_until(past, wait.eligible_s, resolution_s)), resolution_s);
    if (!std::isfinite(made.interval_80.high_s)) {
      continue;
    }
    ++error.n;
    const double missed_s = outside_s(made.interval_80, wait.actual_s);
    error.inside += missed_s <= 0 ? 1 : 0;
    errors_s.push_back(std::abs(made.median_s - wait.actual_s));
    sum_s += made.interval_80.high_s - made.interval_80.low_s + penalty * std::max(0.0, missed_s);
  }
  if (error.n > 0) {
    error.median_error_s = quantile(errors_s, 0.5);
    error.mean_score_s = sum_s / static_cast<double>(error.n);
  }
  return error;
}

std::string error_text(const MeasuredError& error) {
  if (error.n == 0) {
    return "its error was not measured: the accounting shows no past wait that could be forecast";
  }
  return fmt::format("measured on {}: {} in their 80 % interval, median error {}",
                     counted(error.n, "past wait"), error.inside,
                     format_duration(std::round(error.median_error_s)));
}

}  // namespace epochcast::jobs
