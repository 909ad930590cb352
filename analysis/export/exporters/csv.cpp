// Two CSV files: epochs.csv, a row for each epoch of each record with the parameters in which the
// records differ, and runs.csv, a row for each record with all that is known of it. Their columns
// are the fields of the record's own tables.
#include <fmt/format.h>

#include <set>

#include "analysis/export/exporter.hpp"
#include "analysis/export/field_columns.hpp"
#include "analysis/records/record_metrics.hpp"
#include "analysis/records/varied.hpp"
#include "src/output/table/format.hpp"

namespace epochcast::analysis::exporters {
namespace csv_exporter {

template <class Item>
const Item* first_of(const std::vector<Item>& rows) {
  return rows.empty() ? nullptr : &rows.front();
}

/// Names that occur in any record, in alphabetical order.
template <class Rows>
std::set<std::string> names_in(const std::vector<LoadedRecord>& records,
                               Rows record::Record::*rows) {
  std::set<std::string> names;
  for (const auto& loaded : records) {
    for (const auto& row : loaded.record.*rows) {
      names.insert(row.name.str());
    }
  }
  return names;
}

template <class Names>
table::Columns<record::Record> parameter_columns(const Names& names) {
  table::Columns<record::Record> columns;
  for (const auto& name : names) {
    columns.add({"parameter." + name, name, [name](const auto& record) {
                   return table::text_cell(record::parameter(record, name));
                 }});
  }
  return columns;
}

table::Table runs_of(const std::vector<LoadedRecord>& records) {
  using record::Record;
  table::Columns<Record> columns;
  columns.add(field_columns<record::RecordHeader>(), &Record::header)
      .add(parameter_columns(names_in(records, &Record::parameters)))
      .add(field_columns<record::Work>(), [](const auto& record) { return first_of(record.work); })
      .add(field_columns<record::Machine>(),
           [](const auto& record) { return first_of(record.machines); })
      .add({{"epochs_recorded", "epochs recorded", "", 0,
             [](const auto& record) { return record.epochs.size(); }},
            {"total_s", "total", "s", table::shortest_exact, total_training_s}});
  for (const auto& name : names_in(records, &Record::metrics)) {
    columns.add({"last." + name, name, "", table::shortest_exact,
                 [name](const auto& record) { return last_metric(record, name); }});
  }
  table::Columns<LoadedRecord> with_path{{"record", "record", &LoadedRecord::path}};
  with_path.add(columns, &LoadedRecord::record);
  return table::make_table("runs", "Runs", with_path, records);
}

struct EpochRow {
  const LoadedRecord* loaded;
  const record::Epoch* epoch;
};

table::Cell metric_at(const record::Record& record, std::int64_t epoch, const std::string& name) {
  for (const auto& metric : record.metrics) {
    if (metric.epoch == epoch && metric.iteration == 0 && metric.name.view() == name) {
      return metric.value;
    }
  }
  return {};
}

table::Table epochs_of_all(const std::vector<LoadedRecord>& records) {
  using record::RecordHeader;
  std::vector<EpochRow> rows;
  for (const auto& loaded : records) {
    for (const auto& epoch : loaded.record.epochs) {
      rows.push_back({&loaded, &epoch});
    }
  }
  const table::Columns<RecordHeader> header{{"point", "point", &RecordHeader::point},
                                            {"allocation", "allocation", &RecordHeader::allocation},
                                            {"source", "source", &RecordHeader::source},
                                            {"outcome", "outcome", &RecordHeader::outcome}};
  const auto record = [](const EpochRow& row) { return &row.loaded->record; };
  table::Columns<EpochRow> columns{
      {"record", "record", [](const auto& row) { return row.loaded->path; }}};
  columns.add(header, [](const EpochRow& row) { return &row.loaded->record.header; })
      .add(parameter_columns(varied_parameters(records)), record)
      .add(field_columns<record::Epoch>(), &EpochRow::epoch);
  for (const auto& name : names_in(records, &record::Record::metrics)) {
    columns.add({name, name, "", table::shortest_exact, [name](const auto& row) {
                   return metric_at(row.loaded->record, row.epoch->epoch, name);
                 }});
  }
  return table::make_table("epochs", "Epochs", columns, rows);
}

std::vector<ExportedFile> make(const std::vector<LoadedRecord>& records) {
  const auto& write = table::formats::all().at("csv").write;
  return {{"epochs.csv", write({epochs_of_all(records)})}, {"runs.csv", write({runs_of(records)})}};
}

}  // namespace csv_exporter

ExporterSpec csv() {
  return {.summary = "epochs.csv (one row per epoch) and runs.csv (one row per record)",
          .make = csv_exporter::make};
}

}  // namespace epochcast::analysis::exporters
