// One row per record: where it ran, what it varied, how far it came, what it reached, and why it
// may not count.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/records/record_metrics.hpp"
#include "analysis/records/target.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/core/text.hpp"
#include "src/table/table.hpp"
#include "src/telemetry/disturbance.hpp"

namespace epochcast::analysis::tables {
namespace {

table::Cell cell_of(const std::string& text) {
  return text.empty() ? table::Cell() : table::Cell(text);
}

/// The parameters whose values differ between the records, without those that have a column.
std::vector<std::string> varied_parameters(const std::vector<LoadedRecord>& records) {
  std::map<std::string, std::set<std::string>> values;
  for (const auto& loaded : records) {
    for (const auto& row : loaded.record.parameters) {
      values[row.name.str()];
    }
  }
  for (auto& [name, of_records] : values) {
    for (const auto& loaded : records) {
      of_records.insert(record::parameter(loaded.record, name));
    }
  }
  std::vector<std::string> varied;
  for (const auto& [name, of_records] : values) {
    if (of_records.size() > 1 && name != "epochs" && name != "device") {
      varied.push_back(name);
    }
  }
  return varied;
}

/// A column of numbers if every record that has the attribute has a number, so that it sorts so.
table::Column attribute_column(const std::string& name, const std::vector<LoadedRecord>& records) {
  const bool numbers = std::ranges::all_of(records, [&](const LoadedRecord& loaded) {
    const auto text = attribute(loaded.record, name).value_or("");
    return text.empty() || parse_double(text).has_value();
  });
  return numbers ? table::number_column(name, name, "", table::shortest_exact)
                 : table::text_column(name, name);
}

table::Cell attribute_cell(const record::Record& record, const table::Column& column) {
  const auto text = attribute(record, column.key).value_or("");
  if (column.kind == table::Column::Kind::number && !text.empty()) {
    return parse_double(text).value();
  }
  return cell_of(text);
}

/// What a training reached: a number of one record.
struct Result {
  table::Column column;
  std::function<std::optional<double>(const record::Record&)> of;
};

/// Those of `all` that a record has.
std::vector<Result> results_in(const std::vector<LoadedRecord>& records) {
  const auto last = [](const char* name) {
    return [name](const record::Record& record) { return last_metric(record, name); };
  };
  std::vector<Result> results{
      {table::number_column("best_accuracy", "best accuracy", "", 4), best_accuracy},
      {table::number_column("last_val_loss", "last val_loss", "", 4), last("val_loss")},
      {table::number_column("last_loss", "last loss", "", 4), last("loss")}};
  std::erase_if(results, [&](const Result& result) {
    return std::ranges::none_of(
        records, [&](const LoadedRecord& loaded) { return result.of(loaded.record).has_value(); });
  });
  return results;
}

std::vector<table::Column> columns_of(const std::vector<table::Column>& varied,
                                      const std::vector<Result>& results) {
  std::vector<table::Column> columns{table::text_column("point", "point"),
                                     table::text_column("allocation", "allocation")};
  columns.insert(columns.end(), varied.begin(), varied.end());
  for (const auto& column :
       {table::text_column("device", "device"), table::text_column("host", "host"),
        table::text_column("job_id", "job"), table::number_column("restart", "restart", "", 0),
        table::text_column("source", "source"), table::text_column("outcome", "outcome"),
        table::number_column("epochs_recorded", "epochs recorded", "", 0),
        table::number_column("epochs", "of", "", 0),
        table::number_column("total_s", "total", "s", 1)}) {
    columns.push_back(column);
  }
  for (const auto& result : results) {
    columns.push_back(result.column);
  }
  columns.push_back(table::text_column("tainted", "tainted"));
  columns.push_back(table::text_column("disturbed", "disturbed"));
  columns.push_back(table::text_column("outcome_text", "why"));
  return columns;
}

table::Row row_of(const record::Record& record, const std::vector<table::Column>& varied,
                  const std::vector<Result>& results) {
  const auto& header = record.header;
  table::Row row{header.point.str(), header.allocation.str()};
  for (const auto& column : varied) {
    row.push_back(attribute_cell(record, column));
  }
  const auto epochs = record::epochs_of(record);
  row.emplace_back(device_of(record));
  row.push_back(cell_of(attribute(record, "host").value_or("")));
  row.push_back(cell_of(header.job_id.str()));
  row.emplace_back(static_cast<double>(header.restart));
  row.emplace_back(header.source.str());
  row.emplace_back(header.outcome.str());
  row.emplace_back(static_cast<double>(record.epochs.size()));
  row.push_back(epochs > 0 ? table::Cell(static_cast<double>(epochs)) : table::Cell());
  row.push_back(table::cell_of(total_training_s(record)));
  for (const auto& result : results) {
    row.push_back(table::cell_of(result.of(record)));
  }
  row.push_back(cell_of(header.tainted.str()));
  row.push_back(cell_of(telemetry::disturbance_text(record)));
  row.push_back(cell_of(header.outcome_text.str()));
  return row;
}

std::vector<table::Table> make(const std::vector<LoadedRecord>& records,
                               const TableOptions& options) {
  constexpr std::size_t most_columns = 8;
  auto names = options.by;
  std::vector<std::string> hidden;
  for (const auto& name : varied_parameters(records)) {
    if (std::ranges::find(names, name) == names.end()) {
      (names.size() < most_columns ? names : hidden).push_back(name);
    }
  }
  std::vector<table::Column> varied;
  for (const auto& name : names) {
    require_attribute(records, name);
    varied.push_back(attribute_column(name, records));
  }
  const auto results = results_in(records);
  table::Table table{.name = "runs", .title = "Runs", .columns = columns_of(varied, results)};
  for (const auto& loaded : records) {
    table.rows.push_back(row_of(loaded.record, varied, results));
  }
  if (!hidden.empty()) {
    table::add_note(table, fmt::format("{} more parameters differ (--by NAME shows one): {}",
                                       hidden.size(), join(hidden, ", ")));
  }
  return {table};
}

}  // namespace

TableSpec runs() {
  return {.summary = "one row per record: varied parameters, outcome, total time, accuracy",
          .make = make,
          .rows = record::Rows::without_steps,
          .keeps_disturbed = true};
}

}  // namespace epochcast::analysis::tables
