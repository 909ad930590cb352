// What each profiled operator achieves, by its FLOP a byte, below what its device can do.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/plot_parts/chart_parts.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::analysis::plots {
namespace roofline_plot {

using Kind = plot::Series::Kind;

/// The row of that operator in the table of all operators; nullptr if there is none.
const table::Row* operator_row(const table::Table& table, const std::string& name) {
  const auto found = std::ranges::find_if(
      table.rows, [&](const table::Row& row) { return text_in(table, row, "name") == name; });
  return found == table.rows.end() ? nullptr : &*found;
}

/// One record: its table of operators and the points of its plot.
plot::Chart chart_of(const LoadedRecord& loaded, const table::Table& operators,
                     const table::Table& points) {
  plot::Chart chart{.name = "roofline",
                    .title = points.title,
                    .x = {.label = "intensity", .unit = "FLOP/B", .scale = plot::Axis::Scale::log},
                    .y = {.label = "achieved", .unit = "GFLOP/s", .scale = plot::Axis::Scale::log}};
  plot::Series achieved{.name = "an operator; bar: up to its roof", .kind = Kind::points};
  plot::Series roof{.name = "roof of the device", .kind = Kind::line, .look = 6, .dashed = true};
  std::vector<std::pair<double, plot::Annotation>> by_time;
  for (const auto& row : points.rows) {
    const auto name = text_in(points, row, "name");
    const auto x = number_in(points, row, "flop_per_byte").value_or(0);
    const auto y = number_in(points, row, "gflop_s").value_or(0);
    const auto most = number_in(points, row, "roof_gflop_s").value_or(0);
    const auto* whole = operator_row(operators, name);
    const auto percent =
        whole == nullptr ? 0 : number_in(operators, *whole, "time_percent").value_or(0);
    achieved.points.push_back(
        {.x = x,
         .y = y,
         .low = std::min(y, most),
         .high = std::max(y, most),
         .note = fmt::format("{}: {:.1f} % of the time, limited by {}", name, percent,
                             whole == nullptr ? "" : text_in(operators, *whole, "limit"))});
    roof.points.push_back({.x = x, .y = most});
    by_time.push_back({percent, {x, y, fmt::format("{} ({:.1f} %)", name, percent)}});
  }
  std::ranges::stable_sort(by_time, std::greater{}, [](const auto& one) { return one.first; });
  constexpr std::size_t most_named = 4;
  for (std::size_t i = 0; i < std::min(most_named, by_time.size()); ++i) {
    chart.annotations.push_back(by_time[i].second);
  }
  const auto count = counted(achieved.points.size(), "operator");
  chart.series = {std::move(achieved), std::move(roof)};
  chart.subtitle = joined({loaded.record.header.point.str(),
                           fmt::format("n = {} with counted FLOP; in brackets: of the time", count),
                           source_words({loaded})});
  chart.notes = operators.notes;
  return chart;
}

std::vector<plot::Chart> make(const std::vector<LoadedRecord>& records,
                              const PlotOptions& options) {
  std::vector<plot::Chart> charts;
  plot::Chart none{.name = "roofline", .title = "Roofline"};
  for (const auto& loaded : records) {
    try {
      const auto tables = tables_of("roofline", {loaded}, options);
      charts.push_back(chart_of(loaded, tables.at(0), tables.at(1)));
    } catch (const Error& error) {  // no profile, or no rates of its device: others may have both
      none.notes.emplace_back(error.what());
    }
  }
  charts.push_back(std::move(none));
  return charts;
}

}  // namespace roofline_plot

PlotSpec roofline() {
  return {.summary = "FLOP/s of each profiled operator by its intensity, below the device's roof",
          .needs =
              "records with a profile that counts FLOP, and the rates of their device "
              "(--device)",
          .make = roofline_plot::make,
          .keeps_disturbed = true,
          .detail = true};
}

}  // namespace epochcast::analysis::plots
