// Throughput, speed-up and efficiency by the number of workers, with the fit that forecasts them.
#include "src/forecast/scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/groups/scaling_series.hpp"
#include "analysis/plot_parts/chart_parts.hpp"
#include "src/core/text.hpp"

namespace epochcast::analysis::plots {
namespace {

using Kind = plot::Series::Kind;

/// A line: the points of a series on one number of nodes.
struct Line {
  const ScalingSeries* series;
  double nodes;
  std::vector<const ScalingRuns*> points;
  std::string name;
};

std::vector<Line> lines_of(const ScalingStudy& study) {
  std::vector<Line> lines;
  for (const auto& series : study.series) {
    std::set<double> nodes;
    for (const auto& point : series.points) {
      nodes.insert(point.nodes);
    }
    for (const double count : nodes) {
      Line line{&series, count, {}, joined({series.name(), join(series.by, ", ")})};
      if (nodes.size() > 1) {
        line.name += fmt::format(", {}", counted(static_cast<std::size_t>(count), "node"));
      }
      for (const auto& point : series.points) {
        if (point.nodes == count) {
          line.points.push_back(&point);
        }
      }
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

/// What a chart shows of a throughput on a number of workers.
using View = double (*)(double throughput, double workers, const ScalingSeries& series);

double as_is(double throughput, double, const ScalingSeries&) {
  return throughput;
}
double speed_up(double throughput, double, const ScalingSeries& series) {
  return throughput / series.base().throughput().median;
}
double efficiency(double throughput, double workers, const ScalingSeries& series) {
  return 100 * speed_up(throughput, workers, series) * series.base().workers / workers;
}

plot::Series measured(const Line& line, int look, View view) {
  plot::Series result{.name = line.name, .kind = Kind::points, .look = look};
  for (const auto* point : line.points) {
    auto values = point->throughputs();
    for (double& value : values) {
      value = view(value, point->workers, *line.series);
    }
    result.points.push_back(repeats_point(point->workers, values));
    auto& note = result.points.back().note;
    note = joined({point->allocation, note});
  }
  return result;
}

/// The fit on the line's nodes, and its 95 % interval; without points if there is none.
struct Fit {
  plot::Series line;
  plot::Series band;
};

Fit fit_of(const Line& line, int look, View view) {
  Fit fit{{.name = {}, .kind = Kind::line, .look = look, .dashed = true},
          {.name = {}, .kind = Kind::band, .look = look}};
  const auto points = line.series->all_points();
  const double least = line.points.front()->workers;
  const double most = line.points.back()->workers;
  for (double workers = least; workers <= most; workers += std::max(1.0, std::floor(most / 64))) {
    const auto answer =
        forecast::scaling_forecast(points, {.workers = workers, .nodes = line.nodes});
    if (const auto* found = std::get_if<forecast::ScalingForecast>(&answer)) {
      fit.line.name = fmt::format("fit: {}", found->law);
      fit.line.points.push_back(
          {.x = workers, .y = view(found->throughput, workers, *line.series)});
      fit.band.points.push_back({.x = workers,
                                 .y = fit.line.points.back().y,
                                 .low = view(found->low_95, workers, *line.series),
                                 .high = view(found->high_95, workers, *line.series)});
    }
  }
  return fit;
}

plot::Chart chart_of(const std::vector<Line>& lines, plot::Chart chart, View view) {
  std::vector<double> workers;
  std::set<std::string> named;  // a law is in the legend once
  int look = 0;
  for (const auto& line : lines) {
    const bool relative = is_relative(*line.points.front()->runs.front());
    if (relative && view == as_is) {
      chart.notes.push_back(line.name + ": only ratios were published, no throughput");
      continue;
    }
    chart.series.push_back(measured(line, look, view));
    if (line.points.size() > 1) {
      auto fit = fit_of(line, look, view);
      fit.line.name = named.insert(fit.line.name).second ? fit.line.name : "";
      chart.series.push_back(std::move(fit.band));
      chart.series.push_back(std::move(fit.line));
    }
    for (const auto* point : line.points) {
      workers.push_back(point->workers);
    }
    ++look;
  }
  chart.x.marks = distinct(workers);
  return chart;
}

std::vector<plot::Chart> make(const std::vector<LoadedRecord>& records,
                              const PlotOptions& options) {
  const auto study = scaling_study(records, options.by);
  const auto lines = lines_of(study);
  std::size_t runs = 0;
  std::set<std::string> kinds;
  for (const auto& line : lines) {
    kinds.insert(to_text(line.series->kind));
    for (const auto* point : line.points) {
      runs += point->runs.size();
    }
  }
  const auto subtitle =
      joined({"median and range of repeats; band: 95 % interval of the fit",
              fmt::format("n = {}", counted(runs, "run")), source_words(records)});
  const plot::Axis workers{
      .label = kinds.empty() ? "workers" : join({kinds.begin(), kinds.end()}, ", "),
      .scale = plot::Axis::Scale::log};
  const auto base = [&](std::string name, std::string title, plot::Axis y) {
    return plot::Chart{.name = std::move(name),
                       .title = std::move(title),
                       .subtitle = subtitle,
                       .x = workers,
                       .y = std::move(y)};
  };
  std::vector<plot::Chart> charts{
      chart_of(lines,
               base("throughput", "Throughput with more workers",
                    {.label = "throughput", .unit = "samples/s", .scale = plot::Axis::Scale::log}),
               as_is),
      chart_of(lines,
               base("speedup", "Speed-up with more workers",
                    {.label = "speed-up", .scale = plot::Axis::Scale::log}),
               speed_up),
      chart_of(lines,
               base("efficiency", "Efficiency with more workers",
                    {.label = "efficiency", .unit = "%", .from_zero = true}),
               efficiency)};
  for (const double count : [&] {
         std::vector<double> bases;
         for (const auto& line : lines) {
           bases.push_back(line.series->base().workers);
         }
         return distinct(bases);
       }()) {
    charts[1].references.push_back(
        {.direction = plot::Reference::Direction::diagonal, .at = 1 / count, .label = "ideal"});
  }
  if (!lines.empty()) {
    charts[2].references.push_back(
        {.direction = plot::Reference::Direction::horizontal, .at = 100, .label = "ideal"});
  }
  for (const auto& note : excluded_notes(study.excluded)) {
    charts.back().notes.push_back(note);
  }
  return charts;
}

}  // namespace

PlotSpec scaling() {
  return {.summary = "throughput, speed-up and efficiency by workers, with the fit",
          .needs = "complete runs of one workload on two numbers of workers at least",
          .make = make,
          .rows = record::Rows::all};
}

}  // namespace epochcast::analysis::plots
