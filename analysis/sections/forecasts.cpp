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
#include "src/record/comparable.hpp"

namespace epochcast::analysis::sections {
namespace forecasts_section {

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

std::string inside_text(double value, const forecast::Interval& interval) {
  return interval.holds(value) ? "yes" : "no";
}

struct Scores {
  std::vector<double> errors;
  std::vector<double> naive_errors;
  double inside_80 = 0;
  double inside_95 = 0;
};

class HindsightTable {
 public:
  void add(const LoadedRecord& loaded) {
    const auto& record = loaded.record;
    const auto epochs = record::epochs_of(record);
    if (epochs < 2 || std::ssize(record.epochs) != epochs || !fault_of(record).empty()) {
      return;
    }
    const double actual_s = end_of(record.epochs.back());
    const auto seen = first_epoch_of(record);
    const auto naive = forecast::naive_total_s(seen, static_cast<double>(epochs));
    const auto answer = forecast::forecast_of(seen, epochs);
    table::Row row{record.header.point.str(), record.header.allocation.str(), device_of(record),
                   static_cast<double>(epochs)};
    if (const auto* found = std::get_if<forecast::Forecast>(&answer)) {
      const double error = 100 * (found->total_s.value - actual_s) / actual_s;
      row.insert(row.end(), {found->total_s.value, found->total_s.interval_95.low,
                             found->total_s.interval_95.high, actual_s, error});
      scores_.errors.push_back(std::abs(error));
      scores_.inside_80 += found->total_s.interval_80.holds(actual_s) ? 1 : 0;
      scores_.inside_95 += found->total_s.interval_95.holds(actual_s) ? 1 : 0;
    } else {
      row.insert(row.end(), {table::Cell(), table::Cell(), table::Cell(), actual_s, table::Cell()});
    }
    const auto naive_error =
        naive ? std::optional(100 * (*naive - actual_s) / actual_s) : std::nullopt;
    if (naive_error) {
      scores_.naive_errors.push_back(std::abs(*naive_error));
    }
    row.push_back(table::cell_of(naive_error));
    if (const auto* found = std::get_if<forecast::Forecast>(&answer)) {
      row.insert(row.end(), {inside_text(actual_s, found->total_s.interval_80),
                             inside_text(actual_s, found->total_s.interval_95), table::Cell()});
    } else {
      row.insert(row.end(), {table::Cell(), table::Cell(),
                             "refused: " + std::get<forecast::Refusal>(answer).reason});
    }
    table_.rows.push_back(std::move(row));
  }

  table::Table finish() {
    const auto naive = summarize(scores_.naive_errors);
    if (const auto median = summarize(scores_.errors); median && naive) {
      const auto count = static_cast<double>(scores_.errors.size());
      table::add_note(
          table_,
          fmt::format("{}: median absolute error {} %, of first epoch x N {} %; in the 80 % "
                      "interval {:.0f} %, in the 95 % interval {:.0f} %",
                      counted(scores_.errors.size(), "forecast"), format_fixed(median->median, 1),
                      format_fixed(naive->median, 1), 100 * scores_.inside_80 / count,
                      100 * scores_.inside_95 / count));
    }
    table::add_note(table_,
                    "made now, from the first epoch of each run; from the start of the program to "
                    "the end of its last epoch, evaluation and checkpoints included");
    return std::move(table_);
  }

 private:
  static table::Column signed_percent(std::string key, std::string heading) {
    auto column = table::number_column(std::move(key), std::move(heading), "%", 1);
    column.always_sign = true;
    return column;
  }

  table::Table table_{
      .name = "hindsight",
      .title = "What the first epoch would have told",
      .columns = {
          table::text_column("point", "point"), table::text_column("allocation", "allocation"),
          table::text_column("device", "device"), table::number_column("epochs", "epochs", "", 0),
          table::number_column("forecast_s", "forecast", "s", 1),
          table::number_column("low_95_s", "95% from", "s", 1),
          table::number_column("high_95_s", "to", "s", 1),
          table::number_column("actual_s", "took", "s", 1),
          signed_percent("error_percent", "error"),
          signed_percent("naive_error_percent", "first epoch x N"),
          table::text_column("inside_80", "in 80 %"), table::text_column("inside_95", "in 95 %"),
          table::text_column("remark", "remark")}};
  Scores scores_;
};

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
  HindsightTable hindsight;
  for (const auto& loaded : input.records) {
    hindsight.add(loaded);
  }
  const auto table = hindsight.finish();
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
