// Latency of a service against the load that it answered.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/groups/serving_runs.hpp"
#include "analysis/plot_parts/chart_parts.hpp"
#include "src/base/core/text.hpp"
#include "src/record/serving_queries.hpp"

namespace epochcast::analysis::plots {
namespace serving_plot {

constexpr double ms_per_s = 1000;

plot::Series line_of(const ServingRuns& runs, double probability, const std::string& name,
                     int look) {
  plot::Series series{.name = fmt::format("{}: {}", runs.label(), name),
                      .kind = plot::Series::Kind::line_points,
                      .look = look};
  for (const auto& load : runs.loads) {
    if (!record::is_ramp(load.sum) && load.latencies.count() > 0) {
      series.points.push_back(
          {.x = load.answered_per_s(),
           .y = ms_per_s * load.latencies.quantile_s(probability),
           .note = joined({record::load_text(load.sum),
                           counted(static_cast<std::size_t>(load.sum.requests), "request")})});
    }
  }
  return series;
}

std::vector<plot::Chart> make(const std::vector<LoadedRecord>& records,
                              const PlotOptions& options) {
  const auto study = sort_serving_runs(records, options.by);
  plot::Chart chart{
      .name = "serving",
      .title = "Latency of a service by the load that it answers",
      .subtitle = joined({"of the answered requests, each point a steady load; dashed: p99",
                          source_words(records)}),
      .x = {.label = "answered requests", .unit = "1/s", .from_zero = true},
      .y = {.label = "latency", .unit = "ms", .scale = plot::Axis::Scale::log}};
  int look = 0;
  std::vector<double> thresholds_s;
  for (const auto& runs : study.runs) {
    chart.series.push_back(line_of(runs, 0.5, "p50", look));
    chart.series.push_back(line_of(runs, share_to_keep, "p99", look));
    chart.series.back().dashed = true;
    thresholds_s.push_back(runs.threshold_s);
    ++look;
  }
  for (const double threshold_s : distinct(thresholds_s)) {
    if (threshold_s > 0) {
      chart.references.push_back(
          {.direction = plot::Reference::Direction::horizontal,
           .at = ms_per_s * threshold_s,
           .label = fmt::format("threshold of p99: {}", format_duration(threshold_s))});
    }
  }
  chart.notes = excluded_notes(study.excluded);
  return {std::move(chart)};
}

}  // namespace serving_plot

PlotSpec serving() {
  return {.summary = "latency of a service against the load that it answers",
          .needs = "runs of epochcast-load with a steady stage",
          .make = serving_plot::make};
}

}  // namespace epochcast::analysis::plots
