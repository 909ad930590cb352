// How accuracy rises with time: a line for each run, runs of one kind in one colour, and the
// target.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/plot_parts/chart_parts.hpp"
#include "analysis/plot_parts/run_kinds.hpp"
#include "analysis/records/best_metric.hpp"
#include "analysis/records/record_metrics.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::analysis::plots {
namespace accuracy_plot {

/// The metric that says how well a run did, on held-out data where it has that.
std::string metric_of(const record::Record& record) {
  const auto held_out = held_out_name(record, "accuracy");
  return held_out.empty() && last_metric(record, "accuracy") ? "accuracy" : held_out;
}

/// Seconds from the start of the first epoch to the end of each epoch and its evaluation.
std::map<std::int64_t, double> ends_s(const record::Record& record) {
  std::map<std::int64_t, double> ends;
  for (const auto& epoch : record.epochs) {
    ends[epoch.epoch] =
        epoch.start_s + epoch.wall_s + epoch.evaluate_s - record.epochs.front().start_s;
  }
  return ends;
}

plot::Series line_of(const LoadedRecord& loaded, const std::string& metric) {
  const auto& record = loaded.record;
  plot::Series line{.kind = plot::Series::Kind::line_points};
  const auto ends = ends_s(record);
  for (const auto& row : record.metrics) {
    const auto end = ends.find(row.epoch);
    if (row.name.view() == metric && row.iteration == 0 && end != ends.end()) {
      line.points.push_back(
          {.x = end->second,
           .y = row.value,
           .note = fmt::format("after epoch {}, {}", row.epoch + 1, record.header.point.str())});
    }
  }
  return line;
}

/// A line for each target that runs had.
void add_targets(plot::Chart& chart, const std::vector<LoadedRecord>& records) {
  std::set<double> targets;
  for (const auto& loaded : records) {
    if (const auto target = target_of(loaded.record)) {
      targets.insert(target->accuracy);
    }
  }
  for (const double target : targets) {
    chart.references.push_back({.direction = plot::Reference::Direction::horizontal,
                                .at = target,
                                .label = fmt::format("target {:g}", target)});
  }
}

std::vector<plot::Chart> make(const std::vector<LoadedRecord>& records,
                              const PlotOptions& options) {
  plot::Chart chart{
      .name = "accuracy",
      .title = "Accuracy by training time",
      .x = {.label = "time since the start of the first epoch", .unit = "s", .from_zero = true},
      .y = {.label = "accuracy"}};
  const auto kinds = kinds_of_runs(records, options.by);
  std::set<std::size_t> named;
  std::set<std::string> metrics;
  std::vector<ExcludedRun> without;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto metric = metric_of(records[i].record);
    auto line = metric.empty() ? plot::Series{} : line_of(records[i], metric);
    if (line.points.empty()) {
      without.push_back({records[i].path, "no accuracy after an epoch"});
      continue;
    }
    metrics.insert(metric);
    line.look = static_cast<int>(kinds.kind[i]);
    line.name = named.insert(kinds.kind[i]).second ? kinds.names[kinds.kind[i]] : "";
    chart.series.push_back(std::move(line));
  }
  std::ranges::stable_sort(chart.series, {}, [](const plot::Series& line) { return *line.look; });
  emphasize(chart, true);
  const bool training_only = metrics == std::set<std::string>{"accuracy"};
  chart.y.label = training_only ? "accuracy on training batches" : "accuracy on held-out data";
  chart.subtitle =
      joined({fmt::format("a line for each run; n = {}", counted(chart.series.size(), "run")),
              metrics.contains("accuracy") && !training_only
                  ? "where a run was not evaluated: on training batches"
                  : "",
              source_words(records)});
  add_targets(chart, records);
  append(chart.notes, excluded_notes(without));
  return {std::move(chart)};
}

}  // namespace accuracy_plot

PlotSpec accuracy() {
  return {.summary = "accuracy against training time, each run, with the target",
          .needs = "runs of a training whose accuracy was recorded after its epochs",
          .make = accuracy_plot::make};
}

}  // namespace epochcast::analysis::plots
