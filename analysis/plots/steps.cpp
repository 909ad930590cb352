// The times of a run's iterations in their order, with the part that the forecast does not
// extrapolate, and the rate that it does.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/plot_parts/chart_parts.hpp"
#include "analysis/records/record_metrics.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/statistics.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/run/unit_rate.hpp"

namespace epochcast::analysis::plots {
namespace steps_plot {

/// What is extrapolated: the later steps, and the time of one with the usual work.
void add_steady(plot::Chart& chart, const std::vector<forecast::Step>& steps) {
  const auto blocks = forecast::in_blocks(steps);
  const auto steady = forecast::unit_rate(blocks, 0);
  const auto work = mapped(steps, &forecast::Step::work);
  const double step_s = steady.rate * quantile(work, 0.5);
  chart.references.push_back({.direction = plot::Reference::Direction::horizontal,
                              .at = 1e3 * step_s,
                              .label = fmt::format("extrapolated: {:.4g} ms", 1e3 * step_s)});
  const auto size = std::max<std::size_t>(1, steps.size() / blocks.size());
  const auto before = steps.size() - std::min(steps.size(), steady.used * size);
  if (before > 0) {
    const auto end = static_cast<double>(before) + 0.5;
    chart.spans.push_back({.from = 1, .to = end, .label = "not extrapolated"});
    chart.references.push_back({.direction = plot::Reference::Direction::vertical,
                                .at = end,
                                .label = fmt::format("extrapolated from step {} on", before + 1)});
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
  std::vector<forecast::Step> steps;
  for (const auto* row : iterations) {
    steps.push_back(
        {row->wait_s + row->step_s, row->samples > 0 ? static_cast<double>(row->samples) : 1});
  }
  plot::Series series{.kind = iterations.size() > 1000 ? plot::Series::Kind::line
                                                       : plot::Series::Kind::points};
  for (std::size_t i = 0; i < iterations.size(); ++i) {
    series.points.push_back({.x = static_cast<double>(i + 1),
                             .y = 1e3 * steps[i].seconds,
                             .note = fmt::format("epoch {}", iterations[i]->epoch + 1)});
  }
  chart.series.push_back(std::move(series));
  if (needs_log(mapped(steps, &forecast::Step::seconds))) {
    chart.y.scale = plot::Axis::Scale::log;
  }
  chart.subtitle = joined({fmt::format("{} on {}; rank 0; n = {}", record.header.allocation.str(),
                                       device_of(record), counted(iterations.size(), "iteration")),
                           source_words({loaded})});
  add_steady(chart, steps);
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
  return {.summary = "iteration times of each run, with those that are extrapolated",
          .needs = "records of single iterations",
          .make = steps_plot::make,
          .rows = record::Rows::all,
          .detail = true};
}

}  // namespace epochcast::analysis::plots
