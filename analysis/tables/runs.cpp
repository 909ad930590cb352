// Every record a row, whatever became of it: where it ran, how far it came, and why it may not
// count.
#include "analysis/run_facts.hpp"
#include "analysis/table.hpp"

namespace epochcast::tables {
namespace {

Cell cell_of(const std::string& text) {
  return text.empty() ? Cell() : Cell(text);
}

Row row_of(const Record& record) {
  const auto& header = record.header;
  const auto asked_epochs = epochs_of(record);
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
          asked_epochs > 0 ? Cell(static_cast<double>(asked_epochs)) : Cell(),
          epochcast::cell_of(total_s),
          cell_of(header.tainted.str()),
          cell_of(header.outcome_text.str())};
}

std::vector<Table> make(const std::vector<LoadedRecord>& records, const TableOptions&) {
  Table table{
      .name = "runs",
      .title = "Runs",
      .columns = {text_column("point", "point"), text_column("allocation", "allocation"),
                  text_column("device", "device"), text_column("host", "host"),
                  text_column("job_id", "job"), number_column("restart", "restart", "", 0),
                  text_column("source", "source"), text_column("outcome", "outcome"),
                  number_column("epochs_recorded", "epochs recorded", "", 0),
                  number_column("epochs", "of", "", 0), number_column("total_s", "total", "s", 1),
                  text_column("tainted", "tainted"), text_column("outcome_text", "why")}};
  for (const auto& loaded : records) {
    table.rows.push_back(row_of(loaded.record));
  }
  return {table};
}

}  // namespace

TableSpec runs() {
  return {.summary = "every record a row: outcome, epochs, total", .make = make};
}

}  // namespace epochcast::tables
