#include "analysis/groups/change.hpp"

#include <algorithm>
#include <cmath>

#include "src/base/core/lists.hpp"
#include "src/forecast/statistics/regression.hpp"

namespace epochcast::analysis {
namespace {

constexpr std::size_t most_batches = 20;
constexpr std::size_t most_runs = 1000;

double mean_of(const std::vector<double>& values) {
  return summed(values, [](double value) { return value; }) / static_cast<double>(values.size());
}

double squares_about(const std::vector<double>& values, double center) {
  return summed(values, [&](double value) { return (value - center) * (value - center); });
}

std::vector<double> levels(const std::vector<RunLevel>& runs) {
  return mapped(runs, [](const RunLevel& run) { return run.log_s; });
}

/// Half the width of the 95 % interval with so many runs on each side.
double half_width(double variance, double base_runs, double new_runs) {
  return forecast::student_half_width(0.95, run_freedom + base_runs + new_runs - 2) *
         std::sqrt(variance * (1 / base_runs + 1 / new_runs));
}

}  // namespace

std::optional<RunLevel> run_level(const std::vector<double>& times_s) {
  const auto batches = std::min(most_batches, times_s.size());
  if (batches < 2) {
    return std::nullopt;
  }
  std::vector<double> means;
  for (std::size_t i = 0; i < batches; ++i) {
    const auto at = [&](std::size_t batch) {
      return times_s.begin() + static_cast<std::ptrdiff_t>(batch * times_s.size() / batches);
    };
    means.push_back(mean_of({at(i), at(i + 1)}));
  }
  const double level = mean_of(times_s);
  const auto count = static_cast<double>(batches);
  // The variance of few batches is itself uncertain: widened as a t distribution is.
  const double widening = forecast::student_half_width(0.95, count - 1) /
                          forecast::student_half_width(0.95, most_batches - 1);
  const double deviation = std::sqrt(squares_about(means, mean_of(means)) / (count - 1) / count);
  const double relative = widening * deviation / level;
  return RunLevel{
      .log_s = std::log(level), .variance = relative * relative, .times = times_s.size()};
}

std::string Change::verdict() const {
  if (low_95 > 0) {
    return "slower";
  }
  if (high_95 < 0) {
    return "faster";
  }
  return low_95 > -same_within && high_95 < same_within ? "same within 1 %" : "not decided";
}

Change change_between(const std::vector<RunLevel>& base, const std::vector<RunLevel>& changed) {
  const auto base_levels = levels(base);
  const auto new_levels = levels(changed);
  const double base_mean = mean_of(base_levels);
  const double new_mean = mean_of(new_levels);
  const auto base_runs = static_cast<double>(base.size());
  const auto new_runs = static_cast<double>(changed.size());
  const auto within = [](const RunLevel& run) { return run.variance; };
  const double steps_variance =
      (summed(base, within) + summed(changed, within)) / (base_runs + new_runs);
  const double freedom = run_freedom + base_runs + new_runs - 2;
  const double variance =
      (run_freedom * (run_deviation * run_deviation + steps_variance) +
       squares_about(base_levels, base_mean) + squares_about(new_levels, new_mean)) /
      freedom;
  const double log_ratio = new_mean - base_mean;
  const double half = half_width(variance, base_runs, new_runs);
  const double error = half / forecast::student_half_width(0.95, freedom);
  Change change{.ratio_less_1 = std::expm1(log_ratio),
                .low_95 = std::expm1(log_ratio - half),
                .high_95 = std::expm1(log_ratio + half),
                .slower = forecast::student_probability(log_ratio / error, freedom)};
  if (change.verdict() != "not decided") {
    change.further_runs = 0;
    return change;
  }
  const double wanted = std::max(std::abs(log_ratio), same_within - std::abs(log_ratio));
  for (auto runs = std::max(base.size(), changed.size()); runs <= most_runs; ++runs) {
    const auto count = static_cast<double>(runs);
    if (half_width(variance, count, count) < wanted) {
      change.further_runs = 2 * runs - base.size() - changed.size();
      break;
    }
  }
  return change;
}

}  // namespace epochcast::analysis
