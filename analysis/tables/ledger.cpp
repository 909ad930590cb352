// Forecasts against what became of their jobs, from ledgers (OUT/ledger.csv, or the user's own over
// all folders): error, coverage, hours asked and used. A run that was ended before its training did
// counts: how long it ran is a lower bound of how long it would have taken.
#include "src/ledger/ledger.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "analysis/ledger_tally.hpp"
#include "analysis/statistics.hpp"
#include "analysis/table.hpp"
#include "src/core/error.hpp"

namespace epochcast::tables {
namespace {

Cell known(double value) {
  return std::isnan(value) ? Cell() : Cell(value);
}

Cell text(const std::string& value) {
  return value.empty() ? Cell() : Cell(value);
}

Cell inside_cell(const LedgerRow& row, double low_s, double high_s) {
  if (!is_scored(row)) {
    return {};
  }
  const auto answer = is_inside(row, low_s, high_s);
  return answer ? Cell(*answer ? "yes" : "no") : Cell();
}

std::vector<LedgerRow> read(const std::vector<std::string>& files) {
  auto paths = files;
  if (paths.empty()) {
    const auto own = user_ledger();
    if (!own) {
      throw Error("no ledger is named, and EPOCHCAST_LEDGER and HOME name none");
    }
    paths.push_back(*own);
  }
  std::vector<LedgerRow> rows;
  for (auto& path : paths) {
    path = std::filesystem::is_directory(path) ? ledger_of(path) : path;
    if (!std::filesystem::exists(path)) {
      throw Error(fmt::format("{}: there is no ledger; 'epochcast-jobs plan' begins one", path));
    }
    const auto more = read_ledger(path);
    rows.insert(rows.end(), more.begin(), more.end());
  }
  return rows;
}

Table rows_table(const std::vector<LedgerRow>& rows) {
  Table table{
      .name = "ledger",
      .title = "Forecasts and outcomes",
      .columns = {text_column("point", "point"), text_column("allocation", "allocation"),
                  text_column("outcome", "outcome"),
                  number_column("forecast_s", "forecast", "s", 1),
                  number_column("low_95_s", "from (95 %)", "s", 1),
                  number_column("high_95_s", "to (95 %)", "s", 1),
                  number_column("actual_s", "took", "s", 1), text_column("censored", "at least"),
                  number_column("error_percent", "error", "%", 1),
                  number_column("naive_error_percent", "1 epoch x N", "%", 1),
                  text_column("inside_80", "in 80 %"), text_column("inside_95", "in 95 %"),
                  number_column("asked_s", "asked", "s", 0),
                  number_column("used_s", "used", "s", 0), text_column("remark", "remark")}};
  for (auto& column : table.columns) {
    column.always_sign = column.key.ends_with("error_percent");
  }
  for (const auto& row : rows) {
    const bool scored = is_scored(row);
    const auto error_of = [&](double forecast_s) {
      return scored && !std::isnan(forecast_s) ? Cell(error_percent(forecast_s, row)) : Cell();
    };
    table.rows.push_back(
        {row.point, text(row.allocation), row.is_open() ? Cell("not ended") : Cell(row.outcome),
         known(row.forecast_s), known(row.low_95_s), known(row.high_95_s), known(row.actual_s),
         row.censored ? Cell("yes") : Cell(), error_of(row.forecast_s), error_of(row.naive_s),
         inside_cell(row, row.low_80_s, row.high_80_s),
         inside_cell(row, row.low_95_s, row.high_95_s), known(row.asked_s), known(row.used_s),
         text(row.remark)});
  }
  table.notes = {
      "error: forecast against what it took; of a run cut off (at least: yes) against the time "
      "it had run, so it is at most that"};
  return table;
}

Cell percent(const LedgerTally::Coverage& coverage) {
  const auto of = static_cast<double>(coverage.of);
  return of > 0 ? Cell(100 * static_cast<double>(coverage.inside) / of) : Cell();
}

std::vector<double> without_signs(std::vector<double> values) {
  for (double& value : values) {
    value = std::abs(value);
  }
  return values;
}

Cell ratio(double asked_s, double used_s) {
  return used_s > 0 ? Cell(asked_s / used_s) : Cell();
}

Row cells(const std::string& name, const LedgerTally& tally) {
  constexpr double second_to_hour = 1.0 / 3600;
  return {name,
          static_cast<double>(tally.rows),
          static_cast<double>(tally.open),
          static_cast<double>(tally.refused),
          static_cast<double>(tally.errors.size()),
          static_cast<double>(tally.censored),
          cell_of(mean(without_signs(tally.errors))),
          median_cell(summarize(without_signs(tally.errors))),
          cell_of(mean(tally.errors)),
          median_cell(summarize(without_signs(tally.naive_errors))),
          percent(tally.inside_80),
          percent(tally.inside_95),
          tally.asked_s * second_to_hour,
          tally.used_s * second_to_hour,
          ratio(tally.asked_s, tally.used_s),
          ratio(tally.beside_lead_s, tally.used_of_forecast_s),
          static_cast<double>(tally.hit_limit)};
}

Table summary_table(const std::vector<LedgerRow>& rows) {
  std::map<std::string, LedgerTally> tallies;
  LedgerTally all;
  for (const auto& row : rows) {
    tallies[row.allocation].add(row);
    all.add(row);
  }
  Table table{
      .name = "ledger_summary",
      .title = "How good the forecasts were",
      .columns = {
          text_column("allocation", "allocation"), number_column("n", "n", "", 0),
          number_column("open", "not ended", "", 0), number_column("refused", "refused", "", 0),
          number_column("scored", "scored", "", 0), number_column("censored", "cut off", "", 0),
          number_column("mean_error_percent", "mean error", "%", 1),
          number_column("median_error_percent", "median", "%", 1),
          number_column("bias_percent", "bias", "%", 1),
          number_column("naive_median_error_percent", "1 epoch x N, median", "%", 1),
          number_column("coverage_80_percent", "in 80 %", "%", 1),
          number_column("coverage_95_percent", "in 95 %", "%", 1),
          number_column("asked_h", "asked", "h", 2), number_column("used_h", "used", "h", 2),
          number_column("asked_per_used", "asked/used", "", 2),
          number_column("beside_lead_per_used", "beside the lead", "", 2),
          number_column("hit_limit", "hit the limit", "", 0)}};
  for (const auto& [allocation, tally] : tallies) {
    table.rows.push_back(cells(allocation, tally));
  }
  table.rows.push_back(cells("all", all));
  table.notes = {
      "coverage is of the runs of which it can be said: one cut off within the interval is not "
      "counted, one that outlived it counts as outside",
      "beside the lead: what was asked without the signal's lead and the rounding up to minutes"};
  return table;
}

std::vector<Table> make(const std::vector<std::string>& files) {
  const auto rows = read(files);
  return {rows_table(rows), summary_table(rows)};
}

}  // namespace

TableSpec ledger() {
  return {.summary = "forecasts against outcomes, from ledgers (none named: the user's own)",
          .of_files = make};
}

}  // namespace epochcast::tables
