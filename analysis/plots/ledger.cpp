// Forecasts of planned jobs against what they took, and hours asked for and used.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "analysis/plot_parts/chart_parts.hpp"
#include "analysis/table_parts/ledger_tally.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::analysis::plots {
namespace ledger_plot {

using Kind = plot::Series::Kind;

/// What is known of a forecast's interval once its job has ended, and how it is drawn.
struct Verdict {
  const char* text;
  std::optional<bool> inside;
  int look;
};
constexpr std::array verdicts{
    Verdict{"ended before its training: at least this long", std::nullopt, 6},
    Verdict{"inside the 95 % interval", true, 0}, Verdict{"outside", false, 1}};

std::optional<double> known(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

plot::Chart forecasts_of(const std::vector<ledger::LedgerRow>& rows) {
  plot::Chart chart{.name = "ledger",
                    .title = "Forecast and actual time of planned jobs",
                    .x = {.label = "actual time", .unit = "s", .scale = plot::Axis::Scale::log},
                    .y = {.label = "forecast", .unit = "s", .scale = plot::Axis::Scale::log}};
  std::size_t count = 0;
  for (const auto& verdict : verdicts) {
    plot::Series series{.name = verdict.text, .look = verdict.look};
    for (const auto& row : rows) {
      if (is_scored(row) && is_inside(row, row.low_95_s, row.high_95_s) == verdict.inside) {
        series.points.push_back({.x = row.actual_s,
                                 .y = row.forecast_s,
                                 .low = known(row.low_95_s),
                                 .high = known(row.high_95_s),
                                 .note = joined({row.point, row.allocation})});
      }
    }
    count += series.points.size();
    if (!series.points.empty()) {
      chart.series.push_back(std::move(series));
    }
  }
  chart.subtitle = fmt::format("bar: 95 % interval; n = {}, of {}", counted(count, "scored job"),
                               counted(rows.size(), "forecast"));
  chart.references.push_back(
      {.direction = plot::Reference::Direction::diagonal, .at = 1, .label = "forecast = actual"});
  if (count == 0) {
    chart.notes.emplace_back("no forecast of the ledger has an outcome yet");
  }
  return chart;
}

plot::Chart hours_of(const std::vector<ledger::LedgerRow>& rows) {
  plot::Chart chart{.name = "ledger_hours",
                    .title = "Time limits and time used",
                    .x = {.label = "allocation", .scale = plot::Axis::Scale::categories},
                    .y = {.label = "time of all ended jobs", .unit = "h"}};
  plot::Series asked{.name = "asked for", .kind = Kind::bars, .values = true};
  plot::Series used{.name = "used", .kind = Kind::bars, .values = true};
  std::map<std::string, LedgerTally> tallies;
  for (const auto& row : rows) {
    tallies[row.allocation].add(row);
  }
  std::size_t jobs = 0;
  for (const auto& [name, tally] : tallies) {
    if (tally.asked_s > 0) {
      const auto x = static_cast<double>(chart.x.categories.size());
      jobs += tally.rows;
      chart.x.categories.push_back(
          fmt::format("{} (n = {})", name.empty() ? "–" : name, tally.rows));
      asked.points.push_back({.x = x, .y = tally.asked_h()});
      used.points.push_back({.x = x, .y = tally.used_h()});
    }
  }
  chart.subtitle = fmt::format("n = {}", counted(jobs, "job"));
  chart.series = {std::move(asked), std::move(used)};
  return chart;
}

std::vector<plot::Chart> of_files(const std::vector<std::string>& files) {
  const auto rows = read_ledgers(files);
  return {forecasts_of(rows), hours_of(rows)};
}

}  // namespace ledger_plot

PlotSpec ledger() {
  return {.summary = "forecasts of planned jobs against their outcomes; hours asked and used",
          .needs = "a ledger with outcomes",
          .detail = true,
          .of_files = ledger_plot::of_files};
}

}  // namespace epochcast::analysis::plots
