// settings.csv: one row for each record with its mean steady step and its setting, as `predict
// --fill` reads it.
#include "analysis/export/exporter.hpp"
#include "analysis/records/record_metrics.hpp"
#include "analysis/records/recorded_step.hpp"
#include "src/measure/telemetry/disturbance.hpp"
#include "src/output/table/format.hpp"
#include "src/output/table/make_table.hpp"
#include "src/record/comparable.hpp"

namespace epochcast::analysis::exporters {
namespace settings_exporter {

/// What the run computes; its options may differ, as far as FLOPs and layers show it.
std::string work_text(const record::Record& record) {
  auto work = task_text(record);
  for (const auto* name : {"model", "dataset"}) {
    const auto value = record::parameter(record, name);
    work += value.empty() ? "" : " " + value;
  }
  return work;
}

struct SettingRow {
  const LoadedRecord* loaded;
  forecast::StepSetting setting;
  double step_s;

  std::string workload() const { return work_text(loaded->record); }
  std::string device() const {
    const auto hardware = hardware_of(loaded->record);
    return hardware.empty() ? device_of(loaded->record) : hardware;
  }
  std::string disturbed() const { return telemetry::disturbance_text(loaded->record); }
};

std::vector<ExportedFile> make(const std::vector<LoadedRecord>& records) {
  std::vector<SettingRow> rows;
  for (const auto& loaded : records) {
    const auto& record = loaded.record;
    const auto step = recorded_step(record);
    if (fault_of_attempt(record).empty() && step && samples_per_step(record) > 0) {
      rows.push_back({&loaded, setting_with_network(record), step->measured.time_s});
    }
  }
  table::Columns<SettingRow> columns{{"workload", "workload", &SettingRow::workload},
                                     {"device", "device", &SettingRow::device}};
  for (const auto& dimension : forecast::dimensions) {
    const std::string key(dimension.key);
    columns.add({key, key, "", table::shortest_exact,
                 [value = dimension.value](const auto& row) {  // 0: not known
                   return table::positive_cell(row.setting.*value);
                 }});
  }
  columns.add({{"step_s", "step_s", "s", table::shortest_exact, &SettingRow::step_s},
               {"path", "path", [](const auto& row) { return row.loaded->path; }},
               {"disturbed", "disturbed", &SettingRow::disturbed}});
  const auto table = table::make_table("settings", "Steps and their settings", columns, rows);
  return {{"settings.csv", table::formats::all().at("csv").write({table})}};
}

}  // namespace settings_exporter

ExporterSpec settings() {
  return {.summary = "settings.csv: the step of each run at its setting, for `predict --fill`",
          .make = settings_exporter::make,
          .leaves_disturbed_out = true};
}

}  // namespace epochcast::analysis::exporters
