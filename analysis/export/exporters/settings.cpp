// settings.csv: one row for each record with its mean steady step and its setting, as `validate
// surface` reads it.
#include "analysis/export/exporter.hpp"
#include "analysis/records/record_metrics.hpp"
#include "analysis/records/recorded_setting.hpp"
#include "analysis/records/recorded_step.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/telemetry/disturbance.hpp"
#include "src/output/table/format.hpp"
#include "src/record/comparable.hpp"

namespace epochcast::analysis::exporters {
namespace {

/// What the run computes and on what; its options may differ, as far as FLOPs and layers show it.
table::Row work_cells(const record::Record& record) {
  auto work = task_text(record);
  for (const auto* name : {"model", "dataset"}) {
    const auto value = record::parameter(record, name);
    work += value.empty() ? "" : " " + value;
  }
  return {work, hardware_of(record).empty() ? device_of(record) : hardware_of(record)};
}

std::vector<ExportedFile> make(const std::vector<LoadedRecord>& records) {
  table::Table table{.name = "settings",
                     .title = "Steps and their settings",
                     .columns = {table::text_column("workload", "workload"),
                                 table::text_column("device", "device")}};
  for (const auto& dimension : forecast::dimensions) {
    table.columns.push_back(table::number_column(
        std::string(dimension.key), std::string(dimension.key), "", table::shortest_exact));
  }
  table.columns.push_back(table::number_column("step_s", "step_s", "s", table::shortest_exact));
  table.columns.push_back(table::text_column("path", "path"));
  table.columns.push_back(table::text_column("disturbed", "disturbed"));
  for (const auto& [path, record] : records) {
    const auto step = recorded_step(record);
    if (!fault_of_attempt(record).empty() || !step || !(samples_per_step(record) > 0)) {
      continue;
    }
    const auto setting = setting_with_network(record);
    auto& row = table.rows.emplace_back(work_cells(record));
    for (const auto& dimension : forecast::dimensions) {
      const double value = setting.*dimension.value;
      row.push_back(value > 0 ? table::Cell(value) : table::Cell());  // a number that is not known
    }
    row.insert(row.end(), {step->measured.time_s, path, telemetry::disturbance_text(record)});
  }
  return {{"settings.csv", table::formats::all().at("csv").write({table})}};
}

}  // namespace

ExporterSpec settings() {
  return {.summary = "settings.csv: the step of each run at its setting, for `validate surface`",
          .make = make,
          .leaves_disturbed_out = true};
}

}  // namespace epochcast::analysis::exporters
