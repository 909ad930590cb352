// Every record a row, whatever became of it: where it ran, how far it came, and why it may not
// count.
#include "analysis/records/record_metrics.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/table/table.hpp"

namespace epochcast::analysis::tables {
namespace {

table::Cell cell_of(const std::string& text) {
  return text.empty() ? table::Cell() : table::Cell(text);
}

table::Row row_of(const record::Record& record) {
  const auto& header = record.header;
  const auto asked_epochs = record::epochs_of(record);
  const auto total_s = total_training_s(record);
  const auto host = attribute(record, "host").value_or("");
  return {header.point.str(),
          header.allocation.str(),
          device_of(record),
          cell_of(host),
          cell_of(header.job_id.str()),
          static_cast<double>(header.restart),
          header.source.str(),
          header.outcome.str(),
          static_cast<double>(record.epochs.size()),
          asked_epochs > 0 ? table::Cell(static_cast<double>(asked_epochs)) : table::Cell(),
          epochcast::table::cell_of(total_s),
          cell_of(header.tainted.str()),
          cell_of(header.outcome_text.str())};
}

std::vector<table::Table> make(const std::vector<LoadedRecord>& records, const TableOptions&) {
  table::Table table{
      .name = "runs",
      .title = "Runs",
      .columns = {
          table::text_column("point", "point"), table::text_column("allocation", "allocation"),
          table::text_column("device", "device"), table::text_column("host", "host"),
          table::text_column("job_id", "job"), table::number_column("restart", "restart", "", 0),
          table::text_column("source", "source"), table::text_column("outcome", "outcome"),
          table::number_column("epochs_recorded", "epochs recorded", "", 0),
          table::number_column("epochs", "of", "", 0),
          table::number_column("total_s", "total", "s", 1),
          table::text_column("tainted", "tainted"), table::text_column("outcome_text", "why")}};
  for (const auto& loaded : records) {
    table.rows.push_back(row_of(loaded.record));
  }
  return {table};
}

}  // namespace

TableSpec runs() {
  return {.summary = "one row per record: outcome, epochs, total time", .make = make};
}

}  // namespace epochcast::analysis::tables
