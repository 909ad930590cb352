// Throughput, speed-up and efficiency by the number of workers, with the fit that forecasts them.
#include "src/forecast/scaling/scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/groups/scaling_series.hpp"
#include "analysis/plot_parts/chart_parts.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::analysis::plots {
namespace scaling_plot {

using Kind = plot::Series::Kind;

/// A line: the points of a series on one number of nodes.
struct Line {
  const ScalingSeries* series;
  double nodes;
  std::vector<const ScalingRuns*> points;
  std::string name;
  std::vector<std::pair<double, forecast::ScalingForecast>> fit = {};  ///< By number of workers.
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

/// The forecasts of the line's numbers of workers; none where there is no law.
std::vector<std::pair<double, forecast::ScalingForecast>> fit_of(const Line& line) {
  std::vector<std::pair<double, forecast::ScalingForecast>> fit;
  const auto points = line.series->all_points();
  const double most = line.points.back()->workers;
  for (double workers = line.points.front()->workers; workers <= most;
       workers += std::max(1.0, std::floor(most / 64))) {
    const auto answer =
        forecast::scaling_forecast(points, {.workers = workers, .nodes = line.nodes});
    if (const auto* found = std::get_if<forecast::ScalingForecast>(&answer)) {
      fit.emplace_back(workers, *found);
    }
  }
  return fit;
}

/// How far the fit misses the median of a measured number of workers, at most: 0.1 is 10 %.
double largest_miss(const Line& line) {
  double most = 0;
  for (const auto& [workers, found] : line.fit) {
    for (const auto* point : line.points) {
      const double miss = std::abs(found.throughput.value / point->throughput().median - 1);
      most = point->workers == workers ? std::max(most, miss) : most;
    }
  }
  return most;
}

/// The fit with its 95 % interval. Relative to the base, the base itself is 1 by definition.
void add_fit(plot::Chart& chart, const Line& line, int look, View view) {
  plot::Series curve{.name = "fit: " + line.fit.front().second.law,
                     .kind = Kind::line,
                     .look = look,
                     .dashed = true};
  plot::Series band{.kind = Kind::band, .look = look};
  const auto& base = line.series->base();
  for (const auto& [workers, found] : line.fit) {
    const bool defined = view != as_is && workers == base.workers && line.nodes == base.nodes;
    const auto at = [&](double throughput) {
      return view(defined ? base.throughput().median : throughput, workers, *line.series);
    };
    curve.points.push_back({.x = workers, .y = at(found.throughput.value)});
    band.points.push_back({.x = workers,
                           .y = curve.points.back().y,
                           .low = at(found.throughput.interval_95.low),
                           .high = at(found.throughput.interval_95.high)});
  }
  const bool named = std::ranges::find(chart.series, curve.name, &plot::Series::name) !=
                     chart.series.end();  // a law is in the legend once
  curve.name = named ? "" : curve.name;
  chart.series.push_back(std::move(band));
  chart.series.push_back(std::move(curve));
}

plot::Chart chart_of(const std::vector<Line>& lines, plot::Chart chart, View view) {
  constexpr double most_miss = 0.1;
  std::vector<double> workers;
  int look = 0;
  for (const auto& line : lines) {
    const bool relative = is_relative(*line.points.front()->runs.front());
    if (relative && view == as_is) {
      chart.notes.push_back(line.name + ": only ratios were published, no throughput");
      continue;
    }
    chart.series.push_back(measured(line, look, view));
    if (const auto miss = largest_miss(line); miss > most_miss) {
      chart.series.back().kind = Kind::line_points;
      chart.notes.push_back(fmt::format(
          "{}: no fit is drawn: it misses a measured value by {:.0f} %", line.name, 100 * miss));
    } else if (line.fit.size() > 1) {
      add_fit(chart, line, look, view);
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
  auto lines = lines_of(study);
  for (auto& line : lines) {
    line.fit = fit_of(line);
  }
  std::size_t runs = 0;
  std::set<std::string> kinds;
  for (const auto& line : lines) {
    kinds.emplace(to_text(line.series->kind));
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
  for (const double count :
       distinct(mapped(lines, [](const auto& line) { return line.series->base().workers; }))) {
    charts[1].references.push_back(
        {.direction = plot::Reference::Direction::diagonal, .at = 1 / count, .label = "ideal"});
  }
  if (!lines.empty()) {
    charts[2].references.push_back(
        {.direction = plot::Reference::Direction::horizontal, .at = 100, .label = "ideal"});
  }
  append(charts.back().notes, excluded_notes(study.excluded));
  return charts;
}

}  // namespace scaling_plot

PlotSpec scaling() {
  return {.summary = "throughput, speed-up and efficiency by workers, with the fit",
          .needs = "complete runs of one workload on two numbers of workers at least",
          .make = scaling_plot::make,
          .rows = record::Rows::all};
}

}  // namespace epochcast::analysis::plots
