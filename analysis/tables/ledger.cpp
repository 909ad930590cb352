// Forecasts against the outcome of their jobs, from ledgers (OUT/ledger.csv, or the user's own over
// all folders): error, coverage, hours asked and used. A run that was ended before its training did
// counts: how long it ran is a lower bound of how long it would have taken.
#include "src/forecast/ledger/ledger.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "analysis/table_parts/ledger_tally.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/base/core/csv.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/statistics.hpp"
#include "src/output/table/table.hpp"
#include "src/record/run/short_names.hpp"

namespace epochcast::analysis::tables {
namespace {

table::Cell known(double value) {
  return std::isnan(value) ? table::Cell() : table::Cell(value);
}

table::Cell text(const std::string& value) {
  return value.empty() ? table::Cell() : table::Cell(value);
}

table::Cell inside_cell(const ledger::LedgerRow& row, double low_s, double high_s) {
  if (!is_scored(row)) {
    return {};
  }
  const auto answer = is_inside(row, low_s, high_s);
  return answer ? table::Cell(*answer ? "yes" : "no") : table::Cell();
}

/// Point -> "lr=0.1", how it differs from others, by the index of the output folder if that is
/// still there (jobs.csv of epochcast-jobs).
std::map<std::string, std::string> swept_in(const std::string& out) {
  std::error_code gone;
  const auto path = std::filesystem::path(out) / "jobs.csv";
  const auto rows = !out.empty() && std::filesystem::is_regular_file(path, gone)
                        ? parse_csv(read_file(path))
                        : std::vector<CsvRow>{};
  const auto point = rows.empty() ? std::nullopt : find_column(rows.front(), "point");
  if (!point) {
    return {};
  }
  std::vector<run::NamedWork> works;
  for (auto row = rows.begin() + 1; row != rows.end(); ++row) {
    auto& work = works.emplace_back();
    for (std::size_t i = 0; i < row->size() && i < rows.front().size(); ++i) {
      work.parameters.emplace(rows.front()[i], (*row)[i]);
    }
  }
  const auto differing = run::differences(works, {"point", "current", "allocation", "device"});
  std::map<std::string, std::string> swept;
  for (std::size_t i = 0; i < works.size(); ++i) {
    swept.emplace(works[i].parameters["point"], differing[i]);
  }
  return swept;
}

/// What was swept, of each row.
std::vector<std::string> swept_of(const std::vector<ledger::LedgerRow>& rows) {
  std::map<std::string, std::map<std::string, std::string>> by_out;
  std::vector<std::string> swept;
  for (const auto& row : rows) {
    const auto [place, is_new] = by_out.try_emplace(row.out);
    if (is_new) {
      place->second = swept_in(row.out);
    }
    swept.push_back(place->second[row.point]);
  }
  return swept;
}

table::Table rows_table(const std::vector<ledger::LedgerRow>& rows) {
  table::Table table{
      .name = "ledger",
      .title = "Forecasts and outcomes",
      .columns = {
          table::text_column("point", "point"), table::text_column("swept", "swept"),
          table::text_column("allocation", "allocation"), table::text_column("outcome", "outcome"),
          table::number_column("forecast_s", "forecast", "s", 1),
          table::number_column("low_95_s", "from (95 %)", "s", 1),
          table::number_column("high_95_s", "to (95 %)", "s", 1),
          table::number_column("actual_s", "took", "s", 1),
          table::text_column("censored", "at least"),
          table::number_column("error_percent", "error", "%", 1),
          table::number_column("naive_error_percent", "first epoch x N", "%", 1),
          table::text_column("inside_80", "in 80 %"), table::text_column("inside_95", "in 95 %"),
          table::number_column("asked_s", "asked", "s", 0),
          table::number_column("used_s", "used", "s", 0), table::text_column("remark", "remark")}};
  for (auto& column : table.columns) {
    column.always_sign = column.key.ends_with("error_percent");
  }
  const auto swept = swept_of(rows);
  for (const auto& row : rows) {
    const bool scored = is_scored(row);
    const auto error_of = [&](double forecast_s) {
      return scored && !std::isnan(forecast_s) ? table::Cell(error_percent(forecast_s, row))
                                               : table::Cell();
    };
    table.rows.push_back(
        {row.point, text(swept[table.rows.size()]), text(row.allocation),
         row.is_open() ? table::Cell("not ended") : table::Cell(std::string(to_text(row.outcome))),
         known(row.forecast_s), known(row.low_95_s), known(row.high_95_s), known(row.actual_s),
         row.censored ? table::Cell("yes") : table::Cell(), error_of(row.forecast_s),
         error_of(row.naive_s), inside_cell(row, row.low_80_s, row.high_80_s),
         inside_cell(row, row.low_95_s, row.high_95_s), known(row.asked_s), known(row.used_s),
         text(row.remark)});
  }
  table.notes = {
      "error: forecast against actual time; for a run that stopped early (at least: yes) against "
      "the time "
      "it had run, so the error is at most this"};
  return table;
}

table::Cell percent(const LedgerTally::Coverage& coverage) {
  const auto of = static_cast<double>(coverage.of);
  return of > 0 ? table::Cell(100 * static_cast<double>(coverage.inside) / of) : table::Cell();
}

std::vector<double> without_signs(std::vector<double> values) {
  for (double& value : values) {
    value = std::abs(value);
  }
  return values;
}

table::Cell ratio(double asked_s, double used_s) {
  return used_s > 0 ? table::Cell(asked_s / used_s) : table::Cell();
}

table::Row cells(const std::string& name, const LedgerTally& tally) {
  constexpr double second_to_hour = 1.0 / 3600;
  return {name,
          static_cast<double>(tally.rows),
          static_cast<double>(tally.open),
          static_cast<double>(tally.refused),
          static_cast<double>(tally.errors.size()),
          static_cast<double>(tally.censored),
          table::cell_of(mean(without_signs(tally.errors))),
          table::median_cell(summarize(without_signs(tally.errors))),
          table::cell_of(mean(tally.errors)),
          table::median_cell(summarize(without_signs(tally.naive_errors))),
          percent(tally.inside_80),
          percent(tally.inside_95),
          tally.asked_s * second_to_hour,
          tally.used_s * second_to_hour,
          ratio(tally.asked_s, tally.used_s),
          ratio(tally.beside_lead_s, tally.used_of_forecast_s),
          static_cast<double>(tally.hit_limit)};
}

table::Table summary_table(const std::vector<ledger::LedgerRow>& rows) {
  std::map<std::string, LedgerTally> tallies;
  LedgerTally all;
  for (const auto& row : rows) {
    tallies[row.allocation].add(row);
    all.add(row);
  }
  table::Table table{
      .name = "ledger_summary",
      .title = "How good the forecasts were",
      .columns = {
          table::text_column("allocation", "allocation"), table::number_column("n", "n", "", 0),
          table::number_column("open", "not ended", "", 0),
          table::number_column("refused", "refused", "", 0),
          table::number_column("scored", "scored", "", 0),
          table::number_column("censored", "cut off", "", 0),
          table::number_column("mean_error_percent", "mean error", "%", 1),
          table::number_column("median_error_percent", "median", "%", 1),
          table::number_column("bias_percent", "bias", "%", 1),
          table::number_column("naive_median_error_percent", "first epoch x N, median", "%", 1),
          table::number_column("coverage_80_percent", "in 80 %", "%", 1),
          table::number_column("coverage_95_percent", "in 95 %", "%", 1),
          table::number_column("asked_h", "asked", "h", 2),
          table::number_column("used_h", "used", "h", 2),
          table::number_column("asked_per_used", "asked/used", "", 2),
          table::number_column("beside_lead_per_used", "beside the lead", "", 2),
          table::number_column("hit_limit", "hit the limit", "", 0)}};
  for (const auto& [allocation, tally] : tallies) {
    table.rows.push_back(cells(allocation, tally));
  }
  table.rows.push_back(cells("all", all));
  table.notes = {
      "coverage counts the runs for which it is known: a run that stopped within the interval is "
      "not "
      "counted, a run that lasted longer counts as outside",
      "without lead: the requested time without the signal's lead and the rounding up to minutes"};
  return table;
}

std::vector<table::Table> make(const std::vector<std::string>& files, const TableOptions&) {
  const auto rows = read_ledgers(files);
  return {rows_table(rows), summary_table(rows)};
}

}  // namespace

TableSpec ledger() {
  return {.summary = "forecasts against outcomes, from ledgers (default: the user's own)",
          .of_files = make};
}

}  // namespace epochcast::analysis::tables
