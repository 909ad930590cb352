// Duration of a pass over the data and of a batch by the size of the batch, with the fitted law: a
// panel for each allocation, a line for each model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/plot_parts/chart_parts.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::analysis::plots {
namespace batch_plot {

using Kind = plot::Series::Kind;

/// The rows of one line, by batch, and its law where one was fitted.
struct Line {
  std::string name;
  int look = 0;  ///< The same for one name in all panels.
  std::vector<const table::Row*> rows = {};
  std::optional<double> launch_ms = {};
  std::optional<double> item_ms = {};
};

/// An allocation with its lines.
struct Panel {
  std::string name;
  std::vector<Line> lines = {};
};

using Keys = std::vector<std::string>;

/// What distinguishes the lines of a panel.
Keys line_keys(const PlotOptions& options) {
  Keys keys{"task", "model", "source"};
  keys.insert(keys.end(), options.by.begin(), options.by.end());
  return keys;
}

/// The values of those keys that differ between rows of the table, or that of `otherwise`.
std::string name_of(const table::Table& table, const table::Row& row, const Keys& keys,
                    const std::string& otherwise) {
  Keys words;
  for (const auto& key : keys) {
    const auto value = text_in(table, row, key);
    const bool varies = std::ranges::any_of(
        table.rows, [&](const table::Row& other) { return text_in(table, other, key) != value; });
    words.push_back(varies ? value : "");
  }
  std::erase(words, "");
  return words.empty() ? text_in(table, row, otherwise) : join(words, ", ");
}

/// "cpu2", and the device where one allocation had several.
std::string panel_name(const table::Table& table, const table::Row& row) {
  const auto allocation = text_in(table, row, "allocation");
  const bool own_device = std::ranges::any_of(table.rows, [&](const table::Row& other) {
    return text_in(table, other, "allocation") == allocation &&
           text_in(table, other, "device") != text_in(table, row, "device");
  });
  return own_device ? allocation + ", " + text_in(table, row, "device") : allocation;
}

/// The entry of that name, added where there is none.
template <class Entry>
Entry& entry_of(std::vector<Entry>& entries, const std::string& name) {
  const auto found = std::ranges::find(entries, name, &Entry::name);
  return found == entries.end() ? entries.emplace_back(Entry{name}) : *found;
}

std::vector<Panel> panels_of(const std::vector<table::Table>& tables, const Keys& keys) {
  std::vector<Panel> panels;
  std::vector<std::string> names;  // of lines: their looks
  const auto line_of = [&](const table::Table& table, const table::Row& row) -> Line& {
    const auto name = name_of(table, row, keys, "model");
    return entry_of(entry_of(panels, panel_name(table, row)).lines, name);
  };
  const auto& batches = tables.front();
  for (const auto& row : batches.rows) {
    auto& line = line_of(batches, row);
    line.rows.push_back(&row);
    const auto known = std::ranges::find(names, line.name);
    line.look = static_cast<int>(known - names.begin());
    if (known == names.end()) {
      names.push_back(line.name);
    }
  }
  if (const auto* costs = find_table(tables, "batch_cost")) {
    for (const auto& row : costs->rows) {
      auto& line = line_of(*costs, row);
      line.launch_ms = number_in(*costs, row, "launch_ms");
      line.item_ms = number_in(*costs, row, "item_ms");
    }
  }
  return panels;
}

plot::Series measured(const table::Table& table, const Line& line, const std::string& key) {
  plot::Series series{.name = line.name, .kind = Kind::line_points, .look = line.look};
  for (const auto* row : line.rows) {
    const auto batch = number_in(table, *row, "batch");
    const auto value = number_in(table, *row, key);
    if (!batch || !value) {
      continue;
    }
    plot::Point point{.x = *batch, .y = *value};
    if (key == "batch_ms") {
      point.low = number_in(table, *row, "p50_ms");
      point.high = number_in(table, *row, "p90_ms");
    }
    const auto runs = number_in(table, *row, "runs").value_or(0);
    point.note =
        joined({counted(static_cast<std::size_t>(runs), "run"), text_in(table, *row, "remark")});
    series.points.push_back(std::move(point));
  }
  return series;
}

/// T(b) = launch + b item over the measured sizes.
plot::Series law_of(const Line& line, const plot::Series& points) {
  plot::Series law{
      .name = points.name, .listed = false, .kind = Kind::line, .look = line.look, .dashed = true};
  constexpr int pieces = 48;  // of a line that is not straight on logarithmic axes
  const double low = points.points.front().x;
  const double ratio = points.points.back().x / low;
  for (int i = 0; i <= pieces; ++i) {
    const double batch = low * std::pow(ratio, static_cast<double>(i) / pieces);
    law.points.push_back({.x = batch, .y = *line.launch_ms + batch * *line.item_ms});
  }
  return law;
}

/// A chart of a panel, without its lines.
plot::Chart chart_of(const table::Table& batches, const Panel& panel, const std::string& name,
                     const std::string& of) {
  plot::Chart chart{.name = name,
                    .title = of + " by the size of the batch, on " + panel.name,
                    .x = {.label = "batch", .unit = "items", .scale = plot::Axis::Scale::log},
                    .y = {.label = to_lower(of), .unit = "s", .scale = plot::Axis::Scale::log}};
  for (const auto& line : panel.lines) {
    for (const auto* row : line.rows) {
      chart.x.marks.push_back(number_in(batches, *row, "batch").value_or(0));
    }
  }
  chart.x.marks = distinct(std::move(chart.x.marks));
  return chart;
}

/// "of 200 items", "of 200 to 872 items".
std::string pass_words(const table::Table& batches, const Panel& panel) {
  std::vector<double> items;
  for (const auto& line : panel.lines) {
    for (const auto* row : line.rows) {
      if (const auto count = number_in(batches, *row, "pass_items")) {
        items.push_back(*count);
      }
    }
  }
  items = distinct(std::move(items));
  return items.empty()       ? ""
         : items.size() == 1 ? fmt::format("a pass: {:g} items", items.front())
                             : fmt::format("a pass: {:g} to {:g} items: not the same work",
                                           items.front(), items.back());
}

double runs_in(const table::Table& batches, const Panel& panel) {
  double runs = 0;
  for (const auto& line : panel.lines) {
    for (const auto* row : line.rows) {
      runs += number_in(batches, *row, "runs").value_or(0);
    }
  }
  return runs;
}

plot::Chart pass_chart(const table::Table& batches, const Panel& panel) {
  auto chart = chart_of(batches, panel, "batch_pass", "Duration of a pass");
  chart.subtitle = pass_words(batches, panel);
  for (const auto& line : panel.lines) {
    chart.series.push_back(measured(batches, line, "pass_s"));
  }
  return chart;
}

plot::Chart batch_chart(const table::Table& batches, const Panel& panel) {
  auto chart = chart_of(batches, panel, "batch", "Duration of a batch");
  chart.y.unit = "ms";
  chart.subtitle = "mean of the steady batches, bar: their median to the 90th percentile";
  for (const auto& line : panel.lines) {
    auto points = measured(batches, line, "batch_ms");
    const bool has_law = line.launch_ms && line.item_ms && points.points.size() > 1;
    if (has_law) {
      chart.series.push_back(law_of(line, points));
      points.kind = Kind::points;
      points.name += fmt::format(": {:.3g} ms + batch × {:.3g} ms", *line.launch_ms, *line.item_ms);
    }
    chart.series.push_back(std::move(points));
    for (const auto* row : line.rows) {
      if (const auto remark = text_in(batches, *row, "remark"); !remark.empty()) {
        chart.notes.push_back(fmt::format("{}, batch {:g}: {}", line.name,
                                          number_in(batches, *row, "batch").value_or(0), remark));
      }
    }
  }
  return chart;
}

/// The passes of all allocations, then their batches. A pass is not known where no run ended one.
std::vector<plot::Chart> make(const std::vector<LoadedRecord>& records,
                              const PlotOptions& options) {
  const auto tables = tables_of("batch_sweep", records, options);
  const auto& batches = tables.front();
  std::vector<plot::Chart> charts;
  const auto panels = panels_of(tables, line_keys(options));
  for (const auto& chart : {pass_chart, batch_chart}) {
    for (const auto& panel : panels) {
      charts.push_back(chart(batches, panel));
      charts.back().subtitle = joined(
          {charts.back().subtitle,
           fmt::format("n = {}", counted(static_cast<std::size_t>(runs_in(batches, panel)), "run")),
           source_words(records)});
    }
  }
  if (charts.empty()) {
    charts.emplace_back();
  }
  append(charts.back().notes, excluded_notes(tables));
  return charts;
}

}  // namespace batch_plot

PlotSpec batch() {
  return {.summary =
              "duration of a pass over the data and of a batch, by batch size: a panel for each "
              "allocation, a line for each model",
          .needs = "runs with several batch sizes",
          .make = batch_plot::make,
          .rows = record::Rows::all};
}

}  // namespace epochcast::analysis::plots
