// The times of a run's iterations in their order, with the part that the forecast does not
// extrapolate, and the rate that it does.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/plot_parts/chart_parts.hpp"
#include "analysis/records/record_metrics.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/statistics.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/run/series_from_record.hpp"
#include "src/forecast/run/steady.hpp"

namespace epochcast::analysis::plots {
namespace steps_plot {

std::vector<forecast::Step> steps_of(const forecast::RunSeries& series) {
  std::vector<forecast::Step> steps;
  for (std::size_t i = 0; i < series.step_s.size(); ++i) {
    steps.push_back({series.step_s[i], series.step_work.empty() ? 1 : series.step_work[i]});
  }
  return steps;
}

/// The warm-up, and the steady time of a step with the usual work.
void add_steady(plot::Chart& chart, const forecast::RunSeries& series) {
  const auto steps = steps_of(series);
  const auto answer = forecast::steady_state(steps);
  if (const auto* refusal = std::get_if<forecast::Refusal>(&answer)) {
    chart.notes.push_back("no steady state: " + refusal->reason);
    return;
  }
  const auto& steady = std::get<forecast::Steady>(answer);
  const auto work = mapped(steps, &forecast::Step::work);
  const double step_s = steady.rate * quantile(work, 0.5);
  chart.references.push_back({.direction = plot::Reference::Direction::horizontal,
                              .at = 1e3 * step_s,
                              .label = fmt::format("extrapolated: {:.4g} ms", 1e3 * step_s)});
  const auto before = steps.size() - std::min(steps.size(), steady.steps);
  if (before > 0) {
    const auto end = static_cast<double>(before) + 0.5;
    chart.spans.push_back({.from = 1, .to = end, .label = "not extrapolated: warm-up"});
    chart.references.push_back({.direction = plot::Reference::Direction::vertical,
                                .at = end,
                                .label = fmt::format("warm-up ends after step {}", before)});
  }
}

/// First steps that take many times as long as the others would flatten them all.
bool needs_log(const std::vector<double>& seconds) {
  constexpr double too_high = 6;
  return std::ranges::min(seconds) > 0 &&
         std::ranges::max(seconds) > too_high * quantile(seconds, 0.5);
}

plot::Chart chart_of(const LoadedRecord& loaded) {
  const auto& record = loaded.record;
  const auto point = record.header.point.str();
  plot::Chart chart{.name = "steps",
                    .title = "Iteration times of " + (point.empty() ? loaded.path : point),
                    .x = {.label = "iteration, from 1", .whole = true},
                    .y = {.label = "time of an iteration, with its wait for data", .unit = "ms"}};
  const auto iterations = record::first_rank(record);
  if (iterations.empty()) {
    chart.notes.push_back("single iterations were not recorded");
    return chart;
  }
  forecast::RunSeries seconds = forecast::series_of(record, record::epochs_of(record));
  if (seconds.step_s.size() != iterations.size()) {  // so few that whole epochs are used
    seconds = {};
    for (const auto* iteration : iterations) {
      seconds.step_s.push_back(iteration->wait_s + iteration->step_s);
    }
  }
  plot::Series series{.kind = iterations.size() > 1000 ? plot::Series::Kind::line
                                                       : plot::Series::Kind::points};
  for (std::size_t i = 0; i < iterations.size(); ++i) {
    series.points.push_back({.x = static_cast<double>(i + 1),
                             .y = 1e3 * seconds.step_s[i],
                             .note = fmt::format("epoch {}", iterations[i]->epoch + 1)});
  }
  chart.series.push_back(std::move(series));
  if (needs_log(seconds.step_s)) {
    chart.y.scale = plot::Axis::Scale::log;
  }
  chart.subtitle = joined({fmt::format("{} on {}; rank 0; n = {}", record.header.allocation.str(),
                                       device_of(record), counted(iterations.size(), "iteration")),
                           source_words({loaded})});
  add_steady(chart, seconds);
  return chart;
}

std::vector<plot::Chart> make(const std::vector<LoadedRecord>& records, const PlotOptions&) {
  return charts_of_first_runs(
      records, "iterations",
      [](const record::Record& record) { return !record::first_rank(record).empty(); },
      [](const LoadedRecord& loaded) { return std::vector{chart_of(loaded)}; });
}

}  // namespace steps_plot

PlotSpec steps() {
  return {.summary = "iteration times of each run, with the warm-up cut and the steady rate",
          .needs = "records of single iterations",
          .make = steps_plot::make,
          .rows = record::Rows::all,
          .detail = true};
}

}  // namespace epochcast::analysis::plots
