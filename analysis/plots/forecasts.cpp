// How far off forecasts of these runs would have been, had they been made from the first 1, 2, 5
// ... percent of their steps, and how often the time was in the interval.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "analysis/plot_parts/chart_parts.hpp"
#include "analysis/plot_parts/scoring.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/run/series_from_record.hpp"
#include "src/record/comparable.hpp"

namespace epochcast::analysis::plots {
namespace forecasts_plot {

using Kind = plot::Series::Kind;
constexpr std::array shares{0.01, 0.02, 0.05, 0.1, 0.2, 0.5};
const std::string ours = "epochcast";
const std::string rule = "rest × mean of the seen";

/// The steps of a run: its iterations, or its epochs where these were not recorded.
struct Run {
  forecast::RunSeries whole;
  bool epochs = false;
};

std::vector<Run> runs_of(const std::vector<LoadedRecord>& records,
                         std::vector<ExcludedRun>& excluded) {
  constexpr std::size_t fewest_iterations = 2 * forecast::fewest_iterations;
  constexpr std::size_t fewest_epochs = 4;
  std::vector<Run> runs;
  for (const auto& [path, record] : records) {
    auto why = fault_of(record);
    Run run;
    const auto rows = record::first_rank(record);
    const auto counts = forecast::steps_of_rows(rows);
    run.epochs = rows.size() < forecast::fewest_iterations || forecast::has_blocks(record);
    if (run.epochs) {
      run.whole = forecast::series_of(record, forecast::length_of(record));
    }
    for (std::size_t i = 0; i < (run.epochs ? 0 : rows.size()); ++i) {
      const auto work = static_cast<double>(counts[i]);
      run.whole.step_s.push_back(work * (rows[i]->wait_s + rows[i]->step_s));
      run.whole.step_work.push_back(work);
    }
    const auto steps = run.whole.step_s.size();
    if (why.empty() && steps < (run.epochs ? fewest_epochs : fewest_iterations)) {
      why = fmt::format("has only {}", counted(steps, run.epochs ? "epoch" : "iteration"));
    }
    if (why.empty()) {
      runs.push_back(std::move(run));
    } else {
      excluded.push_back({path, why});
    }
  }
  return runs;
}

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

std::vector<double> first_of(const std::vector<double>& values, std::size_t count) {
  return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count)};
}

/// The run seen up to its first `count` steps; the rest is scored.
forecast::RunSeries seen_of(const Run& run, std::size_t count) {
  const auto& all = run.whole.step_s;
  const auto steps = static_cast<std::int64_t>(all.size());
  forecast::RunSeries seen{.step_s = first_of(all, count),
                           .steps_per_epoch = run.epochs ? 1 : steps,
                           .epochs = run.epochs ? steps : 1,
                           .of_steps = !run.epochs};
  if (!run.whole.step_work.empty() && !run.epochs) {
    seen.step_work = first_of(run.whole.step_work, count);
    seen.work_per_epoch = sum_of(run.whole.step_work);
  }
  return seen;
}

/// The score table of one share; without rows where no run is long enough.
table::Table scores_at(const std::vector<Run>& runs, double share) {
  std::vector<double> rest_s;
  Method forecasts{ours, {}};
  Method naive{rule, {}};
  for (const auto& run : runs) {
    const auto all = static_cast<double>(run.whole.step_s.size());
    const auto count = static_cast<std::size_t>(std::floor(share * all + 1e-9));
    if (count < (run.epochs ? 1 : forecast::fewest_iterations)) {
      continue;
    }
    const auto seen = seen_of(run, count);
    const double given_s = sum_of(seen.step_s);
    const auto answer = forecast::forecast(seen);
    const auto* found = std::get_if<forecast::Forecast>(&answer);
    forecasts.predictions.push_back(found == nullptr ? std::nullopt
                                                     : std::optional(found->total_s + -given_s));
    const double guess = given_s / static_cast<double>(count) * (all - static_cast<double>(count));
    rest_s.push_back(sum_of(run.whole.step_s) - given_s);
    naive.predictions.emplace_back(forecast::Prediction{guess});
  }
  if (rest_s.empty()) {
    return {.name = "none", .title = {}, .columns = {}};
  }
  return score_table("forecasts", "Forecast of the rest", rest_s,
                     {std::move(forecasts), std::move(naive)});
}

/// Wilson's 95 % interval of a share, in percent.
plot::Point share_point(double x, double percent, double n) {
  constexpr double z = 1.96;
  const double p = percent / 100;
  const double middle = (p + z * z / (2 * n)) / (1 + z * z / n);
  const double reach = z / (1 + z * z / n) * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
  return {.x = x,
          .y = percent,
          .low = 100 * std::max(0.0, middle - reach),
          .high = 100 * std::min(1.0, middle + reach),
          .note = fmt::format("n = {:g}", n)};
}

plot::Point error_point(double x, double percent, double n) {
  return {.x = x, .y = percent, .note = fmt::format("n = {:g}", n)};
}

/// A line of the score tables: one method, one column.
struct Wanted {
  std::string method;
  std::string column;
  plot::Series series;
};

/// `point` makes a point of a share of the steps, the value in percent and the number of runs.
void add_rows(const table::Table& table, double share, std::vector<Wanted>& wanted,
              plot::Point (*point)(double, double, double)) {
  for (auto& one : wanted) {
    for (const auto& row : table.rows) {
      const auto value = number_in(table, row, one.column);
      const auto n = number_in(table, row, "n").value_or(0);
      if (text_in(table, row, "method") == one.method && value) {
        one.series.points.push_back(point(100 * share, *value, n));
      }
    }
  }
}

plot::Chart chart_of(plot::Chart chart, const std::vector<Wanted>& wanted) {
  chart.x = {.label = "share of the steps that was seen",
             .unit = "%",
             .scale = plot::Axis::Scale::log,
             .marks = {1, 2, 5, 10, 20, 50}};
  for (const auto& one : wanted) {
    if (!one.series.points.empty()) {
      chart.series.push_back(one.series);
    }
  }
  return chart;
}

std::vector<plot::Chart> make(const std::vector<LoadedRecord>& records, const PlotOptions&) {
  std::vector<ExcludedRun> excluded;
  const auto runs = runs_of(records, excluded);
  std::vector<Wanted> errors{
      {ours, "median_percent", {.name = "Epochcast, median", .kind = Kind::line_points, .look = 0}},
      {ours,
       "p90_percent",
       {.name = "Epochcast, 90 % of runs are below",
        .kind = Kind::line_points,
        .look = 0,
        .dashed = true}},
      {rule, "median_percent", {.name = rule + ", median", .kind = Kind::line_points, .look = 1}},
      {rule,
       "p90_percent",
       {.name = rule + ", 90 % are below", .kind = Kind::line_points, .look = 1, .dashed = true}}};
  std::vector<Wanted> coverage{
      {ours,
       "covered_80_percent",
       {.name = "inside the 80 % interval", .kind = Kind::line_points, .look = 0}},
      {ours,
       "covered_95_percent",
       {.name = "inside the 95 % interval", .kind = Kind::line_points, .look = 1, .shift_px = 7}}};
  for (const double share : shares) {
    const auto table = scores_at(runs, share);
    add_rows(table, share, errors, error_point);
    add_rows(table, share, coverage, share_point);
  }
  const auto count = joined({fmt::format("n = {}", counted(runs.size(), "run")),
                             "forecast: the time of the steps not seen", source_words(records)});
  auto error_chart =
      chart_of({.name = "forecast_error",
                .title = "Error of forecasts from the first steps",
                .subtitle = count,
                .y = {.label = "error, without sign", .unit = "%", .from_zero = true}},
               errors);
  auto coverage_chart =
      chart_of({.name = "forecast_coverage",
                .title = "How often the time was in the forecast's interval",
                .subtitle = count + "; bar: 95 % interval of the share (Wilson)",
                .y = {.label = "runs inside", .unit = "%", .low = 0, .high = 104}},
               coverage);
  for (const double level : {80.0, 95.0}) {
    coverage_chart.references.push_back({.direction = plot::Reference::Direction::horizontal,
                                         .at = level,
                                         .label = fmt::format("{:g} %", level)});
  }
  coverage_chart.notes = excluded_notes(excluded);
  return {std::move(error_chart), std::move(coverage_chart)};
}

}  // namespace forecasts_plot

PlotSpec forecasts() {
  return {.summary = "error and coverage of forecasts from the first 1 to 50 % of each run's steps",
          .needs = "complete runs of 20 iterations or 4 epochs at least",
          .make = forecasts_plot::make,
          .rows = record::Rows::all,
          .detail = true};
}

}  // namespace epochcast::analysis::plots
