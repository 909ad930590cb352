// All that records hold: what `export csv` writes, and a CSV file for each other table of the
// schema that has rows in a record. The Python package reads these (epochcast.read).
#include "analysis/export/exporter.hpp"
#include "analysis/export/field_columns.hpp"
#include "src/output/table/format.hpp"

namespace epochcast::analysis::exporters {
namespace tables_exporter {

template <class Row>
struct RecordRow {
  const LoadedRecord* loaded;
  const Row* row;
};

template <class Row>
std::vector<RecordRow<Row>> rows_of(const std::vector<LoadedRecord>& records,
                                    const record::RecordTable<Row>& table) {
  std::vector<RecordRow<Row>> rows;
  for (const auto& loaded : records) {
    for (const auto& row : loaded.record.*table.rows) {
      rows.push_back({&loaded, &row});
    }
  }
  return rows;
}

std::vector<ExportedFile> make(const std::vector<LoadedRecord>& records) {
  auto files = all().at("csv").make(records);
  const auto& write = table::formats::all().at("csv").write;
  record::for_each_table([&]<class Row>(const record::RecordTable<Row>& table) {
    const auto rows = rows_of(records, table);
    if (table.name == "epochs" || rows.empty()) {
      return;
    }
    table::Columns<RecordRow<Row>> columns{
        {"record", "record", [](const auto& row) { return row.loaded->path; }}};
    columns.add(field_columns<Row>(), [](const RecordRow<Row>& row) { return row.row; });
    const std::string name(table.name);
    files.push_back({name + ".csv", write({table::make_table(name, name, columns, rows)})});
  });
  return files;
}

}  // namespace tables_exporter

ExporterSpec tables() {
  return {.summary =
              "what csv writes, and a file for each other table: iterations.csv, metrics.csv, ...",
          .make = tables_exporter::make};
}

}  // namespace epochcast::analysis::exporters
