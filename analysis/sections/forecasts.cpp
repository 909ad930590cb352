// Forecast against outcome: those that set time limits (from ledgers), and for every whole run what
// its first epoch would have told.
#include <fmt/format.h>

#include <cmath>
#include <variant>

#include "analysis/records/record_metrics.hpp"
#include "analysis/report/section_spec.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/base/core/statistics.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/run/series_from_record.hpp"
#include "src/output/html/escape.hpp"
#include "src/output/html/page.hpp"
#include "src/output/table/html_table.hpp"
#include "src/output/table/make_table.hpp"
#include "src/record/comparable.hpp"

namespace epochcast::analysis::sections {
namespace forecasts_section {

using Told = forecast::Prediction;

constexpr std::size_t most_rows = 1000;

/// The record as it was after its first epoch.
record::Record first_epoch_of(const record::Record& record) {
  record::Record seen;
  seen.header = record.header;
  seen.parameters = record.parameters;
  seen.work = record.work;
  seen.machines = record.machines;
  seen.epochs = {record.epochs.front()};
  for (const auto& step : record.iterations) {
    if (step.epoch == seen.epochs.front().epoch) {
      seen.iterations.push_back(step);
    }
  }
  for (const auto& span : record.spans) {
    if (span.start_s <= seen.epochs.front().start_s && span.name.view() != forecast::total_span) {
      seen.spans.push_back(span);
    }
  }
  return seen;
}

double end_of(const record::Epoch& epoch) {
  return epoch.start_s + epoch.wall_s + epoch.evaluate_s + epoch.checkpoint_s;
}

/// A whole run, and what its first epoch would have told; "first epoch x N" is the naive forecast.
struct Hindsight {
  const record::Record* record;
  double actual_s;
  std::optional<Told> told_s = {};  ///< Nothing: refused.
  std::optional<double> error_percent = {};
  std::optional<double> naive_error_percent = {};
  std::string remark = {};

  std::optional<bool> holds(forecast::Interval Told::*level) const {
    return told_s ? std::optional(((*told_s).*level).holds(actual_s)) : std::nullopt;
  }
};

/// Of the whole runs that are comparable.
std::vector<Hindsight> hindsights_of(const std::vector<LoadedRecord>& records) {
  std::vector<Hindsight> rows;
  for (const auto& [path, record] : records) {
    const auto epochs = record::epochs_of(record);
    if (epochs < 2 || std::ssize(record.epochs) != epochs || !fault_of(record).empty()) {
      continue;
    }
    const double actual_s = end_of(record.epochs.back());
    const auto error_percent = [&](double told_s) { return 100 * (told_s - actual_s) / actual_s; };
    auto& row = rows.emplace_back(Hindsight{&record, actual_s});
    const auto seen = first_epoch_of(record);
    if (const auto naive_s = forecast::naive_total_s(seen, static_cast<double>(epochs))) {
      row.naive_error_percent = error_percent(*naive_s);
    }
    const auto answer = forecast::forecast_of(seen, {.epochs = epochs});
    if (const auto* found = std::get_if<forecast::Forecast>(&answer)) {
      row.told_s = found->total_s;
      row.error_percent = error_percent(found->total_s.value);
    } else {
      row.remark = "refused: " + std::get<forecast::Refusal>(answer).reason;
    }
  }
  return rows;
}

/// How the forecasts and the simple guess scored; "" without either.
std::string scores_of(const std::vector<Hindsight>& rows) {
  std::vector<double> errors;
  std::vector<double> naive_errors;
  double inside_80 = 0;
  double inside_95 = 0;
  for (const auto& row : rows) {
    if (row.told_s) {
      errors.push_back(std::abs(*row.error_percent));
      inside_80 += *row.holds(&Told::interval_80) ? 1 : 0;
      inside_95 += *row.holds(&Told::interval_95) ? 1 : 0;
    }
    if (row.naive_error_percent) {
      naive_errors.push_back(std::abs(*row.naive_error_percent));
    }
  }
  if (errors.empty() || naive_errors.empty()) {
    return "";
  }
  const auto count = static_cast<double>(errors.size());
  return fmt::format(
      "{}: median absolute error {} %, of first epoch x N {} %; in the 80 % interval {:.0f} %, in "
      "the 95 % interval {:.0f} %",
      counted(errors.size(), "forecast"), format_fixed(median_of(errors), 1),
      format_fixed(median_of(naive_errors), 1), 100 * inside_80 / count, 100 * inside_95 / count);
}

table::Table hindsight_table(const std::vector<Hindsight>& rows) {
  const table::Columns<Told> told{
      {"forecast_s", "forecast", "s", 1, &Told::value},
      {"low_95_s", "95% from", "s", 1, [](auto& of) { return of.interval_95.low; }},
      {"high_95_s", "to", "s", 1, [](auto& of) { return of.interval_95.high; }}};
  table::Columns<Hindsight> columns{
      {"point", "point", [](auto& row) { return row.record->header.point; }},
      {"allocation", "allocation", [](auto& row) { return row.record->header.allocation; }},
      {"device", "device", [](auto& row) { return device_of(*row.record); }},
      {"epochs", "epochs", "", 0, [](auto& row) { return record::epochs_of(*row.record); }}};
  columns.add(told, &Hindsight::told_s)
      .add({{"actual_s", "took", "s", 1, &Hindsight::actual_s},
            {"error_percent", "error", "%", 1, &Hindsight::error_percent, table::with_sign},
            {"naive_error_percent", "first epoch x N", "%", 1, &Hindsight::naive_error_percent,
             table::with_sign},
            {"inside_80", "in 80 %", [](auto& row) { return row.holds(&Told::interval_80); }},
            {"inside_95", "in 95 %", [](auto& row) { return row.holds(&Told::interval_95); }},
            {"remark", "remark", [](auto& row) { return table::text_cell(row.remark); }}});
  auto table =
      table::make_table("hindsight", "What the first epoch would have told", columns, rows);
  table::add_note(table, scores_of(rows));
  table::add_note(table,
                  "made now, from the first epoch of each run; from the start of the program to "
                  "the end of its last epoch, evaluation and checkpoints included");
  return table;
}

std::string ledgers_html(const ReportInput& input) {
  if (input.ledgers.empty()) {
    return html::paragraph(
        "No ledger: none of these jobs had its time limit from a forecast (epochcast-jobs plan), "
        "or the ledger is not beside the records (--ledger FILE).");
  }
  std::string text;
  for (const auto& table : tables::all().at("ledger").of_files(input.ledgers, {})) {
    text += table::html_table(table::without_empty_columns(table), "forecasts-" + table.name,
                              most_rows);
  }
  return text;
}

std::string make(const ReportInput& input) {
  auto text = html::element("h3", "Forecasts that set time limits") + ledgers_html(input) +
              html::element("h3", "Forecasts in hindsight");
  const auto table = hindsight_table(hindsights_of(input.records));
  if (!input.without_steps.empty()) {
    text += html::paragraph("From epochs only: " + input.without_steps + ".");
  }
  return text + (table.rows.empty()
                     ? html::paragraph("No run is complete and comparable with two epochs or more.")
                     : table::html_table(table::without_empty_columns(table), "forecasts-hindsight",
                                         most_rows));
}

}  // namespace forecasts_section

SectionSpec forecasts() {
  return {.place = 50, .heading = "Forecast against outcome", .make = forecasts_section::make};
}

}  // namespace epochcast::analysis::sections
