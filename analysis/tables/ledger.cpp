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
#include "src/output/table/make_table.hpp"
#include "src/record/run/short_names.hpp"

namespace epochcast::analysis::tables {
namespace ledger_table {

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

/// A row and what was swept.
struct ShownRow {
  const ledger::LedgerRow* row;
  std::string swept;
};

std::vector<ShownRow> shown_rows(const std::vector<ledger::LedgerRow>& rows) {
  std::map<std::string, std::map<std::string, std::string>> by_out;
  std::vector<ShownRow> shown;
  for (const auto& row : rows) {
    const auto [place, is_new] = by_out.try_emplace(row.out);
    if (is_new) {
      place->second = swept_in(row.out);
    }
    shown.push_back({&row, place->second[row.point]});
  }
  return shown;
}

using ledger::LedgerRow;

/// A number of a row; empty where it is not known.
template <double LedgerRow::*value>
table::Cell known_number(const LedgerRow& row) {
  return table::known_cell(row.*value);
}

/// The error of a forecast of the row; empty where it cannot be compared with a time.
template <double LedgerRow::*forecast_s>
table::Cell error(const LedgerRow& row) {
  return is_scored(row) && !std::isnan(row.*forecast_s)
             ? table::Cell(error_percent(row.*forecast_s, row))
             : table::Cell();
}

template <double LedgerRow::*low_s, double LedgerRow::*high_s>
std::optional<bool> inside(const LedgerRow& row) {
  return is_scored(row) ? is_inside(row, row.*low_s, row.*high_s) : std::nullopt;
}

table::Table rows_table(const std::vector<LedgerRow>& rows) {
  const table::Columns<LedgerRow> point{{"point", "point", &LedgerRow::point}};
  const table::Columns<LedgerRow> others{
      {"allocation", "allocation",
       [](const auto& row) { return table::text_cell(row.allocation); }},
      {"outcome", "outcome",
       [](const auto& row) { return row.is_open() ? "not ended" : to_text(row.outcome); }},
      {"forecast_s", "forecast", "s", 1, known_number<&LedgerRow::forecast_s>},
      {"low_95_s", "from (95 %)", "s", 1, known_number<&LedgerRow::low_95_s>},
      {"high_95_s", "to (95 %)", "s", 1, known_number<&LedgerRow::high_95_s>},
      {"actual_s", "took", "s", 1, known_number<&LedgerRow::actual_s>},
      {"censored", "at least",
       [](const auto& row) { return table::text_cell(row.censored ? "yes" : ""); }},
      {"error_percent", "error", "%", 1, error<&LedgerRow::forecast_s>, table::with_sign},
      {"naive_error_percent", "first epoch x N", "%", 1, error<&LedgerRow::naive_s>,
       table::with_sign},
      {"inside_80", "in 80 %", inside<&LedgerRow::low_80_s, &LedgerRow::high_80_s>},
      {"inside_95", "in 95 %", inside<&LedgerRow::low_95_s, &LedgerRow::high_95_s>},
      {"asked_s", "asked", "s", 0, known_number<&LedgerRow::asked_s>},
      {"used_s", "used", "s", 0, known_number<&LedgerRow::used_s>},
      {"remark", "remark", [](const auto& row) { return table::text_cell(row.remark); }}};
  table::Columns<ShownRow> columns;
  columns.add(point, &ShownRow::row)
      .add({"swept", "swept", [](const auto& row) { return table::text_cell(row.swept); }})
      .add(others, &ShownRow::row);
  auto table = table::make_table("ledger", "Forecasts and outcomes", columns, shown_rows(rows));
  table.notes = {
      "error: forecast against actual time; for a run that stopped early (at least: yes) against "
      "the time it had run, so the error is at most this"};
  return table;
}

table::Cell percent(const LedgerTally::Coverage& coverage) {
  return table::percent_cell(static_cast<double>(coverage.inside),
                             static_cast<double>(coverage.of));
}

std::vector<double> without_signs(std::vector<double> values) {
  for (double& value : values) {
    value = std::abs(value);
  }
  return values;
}

table::Columns<LedgerTally> tally_columns() {
  return {{"n", "n", "", 0, &LedgerTally::rows},
          {"open", "not ended", "", 0, &LedgerTally::open},
          {"refused", "refused", "", 0, &LedgerTally::refused},
          {"scored", "scored", "", 0, [](const auto& tally) { return tally.errors.size(); }},
          {"censored", "cut off", "", 0, &LedgerTally::censored},
          {"mean_error_percent", "mean error", "%", 1,
           [](const auto& tally) { return mean(without_signs(tally.errors)); }},
          {"median_error_percent", "median", "%", 1,
           [](const auto& tally) {
             return table::median_cell(summarize(without_signs(tally.errors)));
           }},
          {"bias_percent", "bias", "%", 1, [](const auto& tally) { return mean(tally.errors); }},
          {"naive_median_error_percent", "first epoch x N, median", "%", 1,
           [](const auto& tally) {
             return table::median_cell(summarize(without_signs(tally.naive_errors)));
           }},
          {"coverage_80_percent", "in 80 %", "%", 1,
           [](const auto& tally) { return percent(tally.inside_80); }},
          {"coverage_95_percent", "in 95 %", "%", 1,
           [](const auto& tally) { return percent(tally.inside_95); }},
          {"asked_h", "asked", "h", 2, &LedgerTally::asked_h},
          {"used_h", "used", "h", 2, &LedgerTally::used_h},
          {"asked_per_used", "asked/used", "", 2,
           [](const auto& tally) { return table::ratio_cell(tally.asked_s, tally.used_s); }},
          {"beside_lead_per_used", "beside the lead", "", 2,
           [](const auto& tally) {
             return table::ratio_cell(tally.beside_lead_s, tally.used_of_forecast_s);
           }},
          {"hit_limit", "hit the limit", "", 0, &LedgerTally::hit_limit}};
}

table::Table summary_table(const std::vector<ledger::LedgerRow>& rows) {
  std::map<std::string, LedgerTally> tallies;
  LedgerTally all;
  for (const auto& row : rows) {
    tallies[row.allocation].add(row);
    all.add(row);
  }
  std::vector<std::pair<std::string, LedgerTally>> named(tallies.begin(), tallies.end());
  named.emplace_back("all", std::move(all));
  using Named = std::pair<std::string, LedgerTally>;
  table::Columns<Named> columns{{"allocation", "allocation", &Named::first}};
  columns.add(tally_columns(), &Named::second);
  auto table = table::make_table("ledger_summary", "How good the forecasts were", columns, named);
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

}  // namespace ledger_table

TableSpec ledger() {
  return {.summary = "forecasts against outcomes, from ledgers (default: the user's own)",
          .of_files = ledger_table::make};
}

}  // namespace epochcast::analysis::tables
