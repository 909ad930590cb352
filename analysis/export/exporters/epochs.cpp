// epochs.csv: one row an epoch, or a block of epochs, of each record, as `predict --each`
// reads it. Of an imported MLPerf log every column comes from the log and its path; our own records
// are identified by experiment, source and allocation. A column `disturbed` has what others did to
// a run, if any was disturbed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/export/exporter.hpp"
#include "analysis/export/logged_metrics.hpp"
#include "analysis/records/record_metrics.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/telemetry/disturbance.hpp"
#include "src/output/table/format.hpp"
#include "src/record/outcome.hpp"

namespace epochcast::analysis::exporters {
namespace epochs_exporter {

/// The parameter, or what stands for it in a record that is no imported log. No cell is ever empty.
std::string parameter_or(const record::Record& record, std::string_view name,
                         std::string otherwise) {
  const auto value = record::parameter(record, name);
  otherwise = otherwise.empty() ? "unknown" : std::move(otherwise);
  return value.empty() ? otherwise : value;
}

struct Interval {
  std::int64_t index = 0;
  double start_s = 0;
  double length_s = 0;
};

/// Start and end of the training: as logged, else from the first epoch to the last.
std::pair<double, double> run_of(const record::Record& record,
                                 const std::vector<Interval>& intervals) {
  for (const auto& span : record.spans) {
    if (span.name.view() == forecast::total_span || span.name.view() == "cut") {
      return {span.start_s, span.start_s + span.duration_s};
    }
  }
  const auto& last = intervals.back();
  return {intervals.front().start_s, last.start_s + last.length_s};
}

class Rows {
 public:
  Rows(table::Table& table, const LoadedRecord& loaded, const std::string* disturbed)
      : table_(table), record_(loaded.record), disturbed_(disturbed) {
    const auto& header = record_.header;
    who_ = {parameter_or(record_, "repo", header.experiment.str()),
            parameter_or(record_, "path", loaded.path),
            parameter_or(record_, "submitter", header.source.str()),
            parameter_or(record_, "system", header.allocation.str()),
            parameter_or(record_, "benchmark", record::parameter(record_, "model")),
            parameter_or(record_, "run", header.point.str())};
  }

  void add(const std::string& kind, const std::vector<Interval>& intervals) {
    if (intervals.empty()) {
      return;
    }
    const auto origin = origin_ms(record_);
    const auto stamp = [&](double s) { return std::to_string(origin + std::llround(1000 * s)); };
    const auto [run_start_s, run_stop_s] = run_of(record_, intervals);
    const auto events =
        parameter_or(record_, kind + "_events", std::to_string(2 * intervals.size()));
    std::size_t seq = 0;
    for (const auto& interval : intervals) {
      table::Row row = who_;
      for (const auto& cell : {kind, std::to_string(++seq), number_of(kind, interval.index),
                               format_shortest(std::round(1e6 * interval.length_s) / 1e6),
                               stamp(interval.start_s), stamp(run_start_s), stamp(run_stop_s),
                               events, parameter_or(record_, "status", outcome())}) {
        row.emplace_back(cell);
      }
      if (disturbed_ != nullptr) {
        row.emplace_back(*disturbed_);
      }
      table_.rows.push_back(std::move(row));
    }
  }

 private:
  /// The number under which the log knows it; people count from 1.
  std::string number_of(const std::string& kind, std::int64_t index) const {
    for (const auto& metric : record_.metrics) {
      if (metric.epoch == index && metric.name.view() == kind + "_number") {
        return format_shortest(metric.value);
      }
    }
    return std::to_string(index + 1);
  }

  std::string outcome() const {
    return record::outcome_of(record_.header) == run::Outcome::complete
               ? "success"
               : record_.header.outcome.str();
  }

  table::Table& table_;
  const record::Record& record_;
  const std::string* disturbed_;  ///< The last cell; none: there is no such column.
  table::Row who_;
};

std::vector<ExportedFile> make(const std::vector<LoadedRecord>& records) {
  table::Table table{.name = "epochs", .title = "Epochs", .columns = {}};
  for (const auto* key :
       {"repo", "path", "submitter", "system", "benchmark", "run", "kind", "seq", "epoch", "dur_s",
        "start_ms", "run_start_ms", "run_stop_ms", "n_epoch_events", "status"}) {
    table.columns.push_back(table::text_column(key, key));
  }
  std::vector<std::string> disturbed;
  for (const auto& loaded : records) {
    disturbed.push_back(telemetry::disturbance_text(loaded.record));
  }
  const bool any_disturbed =
      std::ranges::any_of(disturbed, [](auto& text) { return !text.empty(); });
  if (any_disturbed) {
    table.columns.push_back(table::text_column("disturbed", "disturbed"));
  }
  auto text = disturbed.begin();
  for (const auto& loaded : records) {
    std::vector<Interval> epochs;
    std::vector<Interval> blocks;
    for (const auto& epoch : loaded.record.epochs) {
      epochs.push_back({epoch.epoch, epoch.start_s, length_s(loaded.record, epoch)});
    }
    for (const auto& span : loaded.record.spans) {
      if (span.name.view() == "block") {
        blocks.push_back({span.epoch, span.start_s, span.duration_s});
      }
    }
    Rows rows(table, loaded, any_disturbed ? &*text : nullptr);
    ++text;
    rows.add("block", blocks);
    rows.add("epoch", epochs);
  }
  return {{"epochs.csv", table::formats::all().at("csv").write({table})}};
}

}  // namespace epochs_exporter

ExporterSpec epochs() {
  return {.summary = "epochs.csv: one row per epoch, for `predict --each`",
          .make = epochs_exporter::make,
          .leaves_disturbed_out = true};
}

}  // namespace epochcast::analysis::exporters
