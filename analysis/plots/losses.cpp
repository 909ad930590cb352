// The losses by epoch: the median of runs that differ in seed and repeat, and their range.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/plot_parts/chart_parts.hpp"
#include "analysis/plot_parts/run_kinds.hpp"
#include "src/base/core/metric_meaning.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::analysis::plots {
namespace losses_plot {

/// "loss", "train_loss", "val_loss_d", "box_loss".
bool is_loss(std::string_view name) {
  const auto meaning = meaning_of_metric(name);
  const std::string_view quantity = meaning.quantity;
  return meaning.higher_is_better == false &&
         (quantity.starts_with("loss") || quantity.ends_with("loss"));
}

/// Epochs done when the loss was taken, of a loss within an epoch in parts of it.
double epochs_done(const record::Record& record, const record::Metric& row) {
  const auto whole = static_cast<double>(row.epoch);
  const auto in_epoch = record.work.empty() ? 0 : record.work.front().iterations_per_epoch;
  return row.iteration > 0 && in_epoch > 0
             ? whole + static_cast<double>(row.iteration) / static_cast<double>(in_epoch)
             : whole + 1;
}

/// Values of repeats by the epochs done.
using Curve = std::map<double, std::vector<double>>;

struct Curves {
  std::set<std::string> metrics;
  std::map<std::pair<std::size_t, std::string>, Curve> of;  ///< By kind of run and metric.
  std::size_t runs = 0;
};

Curves curves_of(const std::vector<LoadedRecord>& records, const RunKinds& kinds) {
  Curves curves;
  for (std::size_t i = 0; i < records.size(); ++i) {
    bool any = false;
    for (const auto& row : records[i].record.metrics) {
      if (is_loss(row.name.view()) && row.epoch >= 0) {
        const auto metric = row.name.str();
        curves.metrics.insert(metric);
        curves.of[{kinds.kind[i], metric}][epochs_done(records[i].record, row)].push_back(
            row.value);
        any = true;
      }
    }
    curves.runs += any ? 1 : 0;
  }
  return curves;
}

void add_curve(plot::Chart& chart, const Curve& curve, plot::Series line) {
  plot::Series band{.kind = plot::Series::Kind::band, .look = line.look};
  for (const auto& [epochs, values] : curve) {
    const auto point = repeats_point(epochs, values);
    if (point.low) {
      band.points.push_back(point);
    }
    line.points.push_back({.x = epochs, .y = point.y, .note = point.note});
  }
  if (!band.points.empty()) {
    chart.series.push_back(std::move(band));
  }
  chart.series.push_back(std::move(line));
}

/// "loss" of "train_loss" and "val_loss": both are in one chart.
std::string stem_of(const std::string& metric) {
  return meaning_of_metric(metric).quantity;
}

bool has_training_curve(const Curves& curves, std::size_t kind, const std::string& stem) {
  return std::ranges::any_of(curves.of, [&](const auto& curve) {
    const auto& [of_kind, metric] = curve.first;
    return of_kind == kind && stem_of(metric) == stem && !meaning_of_metric(metric).held_out();
  });
}

/// One kind of run: all its losses together. Several: a chart for each loss.
plot::Chart chart_of(const Curves& curves, const RunKinds& kinds, const std::string& stem) {
  plot::Chart chart{.name = stem.empty() ? "losses" : stem,
                    .title = stem.empty() ? "Losses by epoch" : "Metric " + stem + " by epoch",
                    .x = {.label = "epochs done", .whole = true},
                    .y = {.label = stem.empty() ? "loss" : stem}};
  int place = 0;
  bool dashed = false;
  for (const auto& [key, curve] : curves.of) {
    const auto& [kind, metric] = key;
    if (!stem.empty() && stem_of(metric) != stem) {
      continue;
    }
    const bool held_out = meaning_of_metric(metric).held_out();
    add_curve(
        chart, curve,
        {.name = stem.empty() ? metric : kinds.names[kind] + (held_out ? ", held-out data" : ""),
         .listed = stem.empty() || !held_out || !has_training_curve(curves, kind, stem),
         .kind = plot::Series::Kind::line_points,
         .look = stem.empty() ? place : static_cast<int>(kind),
         .dashed = held_out});
    dashed = dashed || (held_out && !stem.empty());
    ++place;
  }
  if (!stem.empty()) {
    emphasize(chart, false);
  }
  chart.subtitle = dashed ? "; dashed: on held-out data" : "";
  return chart;
}

std::vector<plot::Chart> make(const std::vector<LoadedRecord>& records,
                              const PlotOptions& options) {
  const auto kinds = kinds_of_runs(records, options.by);
  const auto curves = curves_of(records, kinds);
  std::set<std::string> stems;
  for (const auto& metric : curves.metrics) {
    stems.insert(kinds.names.size() == 1 ? "" : stem_of(metric));
  }
  const auto subtitle =
      joined({fmt::format("median and range of repeats; n = {}", counted(curves.runs, "run")),
              kinds.names.size() == 1 ? kinds.names.front() : "", source_words(records)});
  std::vector<plot::Chart> charts;
  for (const auto& stem : stems) {
    charts.push_back(chart_of(curves, kinds, stem));
    charts.back().subtitle = subtitle + charts.back().subtitle;
  }
  return charts;
}

}  // namespace losses_plot

PlotSpec losses() {
  return {.summary = "losses by epoch: the median of repeats and their range",
          .needs = "records with a loss",
          .make = losses_plot::make};
}

}  // namespace epochcast::analysis::plots
