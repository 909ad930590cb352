// Forecasts of planned jobs against what they took, and hours asked for and used.
#include <fmt/format.h>

#include <map>

#include "analysis/plot_parts/chart_parts.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::analysis::plots {
namespace {

using Kind = plot::Series::Kind;

/// One job, by what is known of its forecast.
std::string verdict(const table::Table& table, const table::Row& row) {
  if (text_in(table, row, "inside_95") == "yes") {
    return "inside the 95 % interval";
  }
  if (text_in(table, row, "inside_95") == "no") {
    return "outside";
  }
  return "ended before its training: at least this long";
}

plot::Chart forecasts_of(const table::Table& table) {
  plot::Chart chart{.name = "ledger",
                    .title = "Forecast and actual time of planned jobs",
                    .subtitle = {},
                    .x = {.label = "actual time", .unit = "s", .scale = plot::Axis::Scale::log},
                    .y = {.label = "forecast", .unit = "s", .scale = plot::Axis::Scale::log}};
  std::map<std::string, plot::Series> by_verdict;
  std::size_t count = 0;
  for (const auto& row : table.rows) {
    const auto forecast = number_in(table, row, "forecast_s");
    const auto actual = number_in(table, row, "actual_s");
    const bool scored = number_in(table, row, "error_percent").has_value();
    if (!forecast || !actual || !scored) {
      continue;
    }
    ++count;
    auto& series = by_verdict[verdict(table, row)];
    series.points.push_back(
        {.x = *actual,
         .y = *forecast,
         .low = number_in(table, row, "low_95_s"),
         .high = number_in(table, row, "high_95_s"),
         .note = joined({text_in(table, row, "point"), text_in(table, row, "allocation")})});
  }
  for (auto& [name, series] : by_verdict) {
    series.name = name;
    series.look = name.starts_with("inside") ? 0 : name == "outside" ? 1 : 6;
    chart.series.push_back(std::move(series));
  }
  chart.subtitle = fmt::format("bar: 95 % interval; n = {}, of {}", counted(count, "scored job"),
                               counted(table.rows.size(), "forecast"));
  chart.references.push_back(
      {.direction = plot::Reference::Direction::diagonal, .at = 1, .label = "forecast = actual"});
  if (count == 0) {
    chart.notes.emplace_back("no forecast of the ledger has an outcome yet");
  }
  return chart;
}

plot::Chart hours_of(const table::Table& table) {
  plot::Chart chart{.name = "ledger_hours",
                    .title = "Time limits and time used",
                    .subtitle = {},
                    .x = {.label = "allocation", .scale = plot::Axis::Scale::categories},
                    .y = {.label = "time of all ended jobs", .unit = "h"}};
  plot::Series asked{.name = "asked for", .kind = Kind::bars, .values = true};
  plot::Series used{.name = "used", .kind = Kind::bars, .values = true};
  double jobs = 0;
  for (const auto& row : table.rows) {
    const auto name = text_in(table, row, "allocation");
    const auto asked_h = number_in(table, row, "asked_h");
    const auto used_h = number_in(table, row, "used_h");
    if (name == "all" || !asked_h || !used_h || *asked_h == 0) {
      continue;
    }
    const auto x = static_cast<double>(chart.x.categories.size());
    const auto n = number_in(table, row, "n").value_or(0);
    jobs += n;
    chart.x.categories.push_back(fmt::format("{} (n = {:g})", name.empty() ? "–" : name, n));
    asked.points.push_back({.x = x, .y = *asked_h});
    used.points.push_back({.x = x, .y = *used_h});
  }
  chart.subtitle = fmt::format("n = {}", counted(static_cast<std::size_t>(jobs), "job"));
  chart.series = {std::move(asked), std::move(used)};
  return chart;
}

std::vector<plot::Chart> of_files(const std::vector<std::string>& files) {
  const auto tables = tables::all().at("ledger").of_files(files, {});
  std::vector<plot::Chart> charts;
  if (const auto* rows = find_table(tables, "ledger")) {
    charts.push_back(forecasts_of(*rows));
  }
  if (const auto* summary = find_table(tables, "ledger_summary")) {
    charts.push_back(hours_of(*summary));
  }
  return charts;
}

}  // namespace

PlotSpec ledger() {
  return {.summary = "forecasts of planned jobs against their outcomes; hours asked and used",
          .needs = "a ledger with outcomes",
          .detail = true,
          .of_files = of_files};
}

}  // namespace epochcast::analysis::plots
