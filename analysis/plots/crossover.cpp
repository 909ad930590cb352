// Training time by the size of the network, a line for each allocation, and the sizes from which
// the later of two allocations is faster.
#include <fmt/format.h>

#include "analysis/groups/sweep.hpp"
#include "analysis/plot_parts/chart_parts.hpp"
#include "src/base/core/text.hpp"
#include "src/output/plot/scale.hpp"

namespace epochcast::analysis::plots {
namespace crossover_plot {

using Direction = plot::Reference::Direction;

std::vector<plot::Series> lines_of(const Sweep& sweep) {
  std::vector<plot::Series> lines;
  for (std::size_t column = 0; column < sweep.columns.size(); ++column) {
    auto& line = lines.emplace_back(
        plot::Series{.name = sweep.columns[column].label, .kind = plot::Series::Kind::line_points});
    for (const auto& network : sweep.networks) {
      const auto totals = network.totals_s(column);
      if (!totals.empty()) {
        line.points.push_back(repeats_point(network.parameters, totals));
        auto& note = line.points.back().note;
        note = joined({join(network.options, ", "), note});
      }
    }
  }
  return lines;
}

/// Where two allocations take the same time, as the table 'overtaking' has it.
void add_crossings(plot::Chart& chart, const table::Table& table) {
  for (const auto& row : table.rows) {
    const auto at = number_in(table, row, "interpolated_parameters");
    if (!at) {
      continue;
    }
    const auto second = text_in(table, row, "second");
    chart.references.push_back(
        {.direction = Direction::vertical,
         .at = *at,
         .label = fmt::format("{} faster than {} from {}", second, text_in(table, row, "first"),
                              plot::short_number(*at))});
    const auto low = number_in(table, row, "low_95_parameters");
    const auto high = number_in(table, row, "high_95_parameters");
    if (low && high) {
      chart.spans.push_back(
          {.from = *low, .to = *high, .label = "95 % interval: " + chart.references.back().label});
    }
  }
}

std::vector<plot::Chart> make(const std::vector<LoadedRecord>& records,
                              const PlotOptions& options) {
  const auto sweep = sweep_of(records, options.by);
  const auto tables = tables_of("crossover", records, options);
  plot::Chart chart{.name = "crossover",
                    .title = fmt::format("Training time of {} by the size of the network",
                                         counted(static_cast<std::size_t>(sweep.epochs), "epoch")),
                    .x = {.label = "trainable parameters", .scale = plot::Axis::Scale::log},
                    .y = {.label = "training time", .unit = "s", .scale = plot::Axis::Scale::log},
                    .series = lines_of(sweep)};
  std::size_t runs = 0;
  for (const auto& network : sweep.networks) {
    for (const auto& of_column : network.runs) {
      runs += of_column.size();
    }
  }
  chart.subtitle = joined(
      {"median and range of repeats",
       fmt::format("n = {}, {}", counted(runs, "run"), counted(sweep.networks.size(), "network")),
       join(sweep.chosen, ", "), source_words(records)});
  if (const auto* table = find_table(tables, "overtaking")) {
    add_crossings(chart, *table);
  }
  chart.notes = excluded_notes(sweep.excluded);
  if (!chart.spans.empty()) {
    chart.notes.emplace_back("shaded: 95 % interval of the size, from the scatter of repeats");
  }
  return {std::move(chart)};
}

}  // namespace crossover_plot

PlotSpec crossover() {
  return {.summary = "training time by network size and allocation, and where they cross",
          .needs = "complete runs of networks of several sizes",
          .make = crossover_plot::make,
          .rows = record::Rows::all};
}

}  // namespace epochcast::analysis::plots
