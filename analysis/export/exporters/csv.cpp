// Two CSV files: epochs.csv, a row for each epoch of each record with the parameters in which the
// records differ, and runs.csv, a row for each record with all that is known of it. Their columns
// are the fields of the record's own tables.
#include <fmt/format.h>

#include <map>
#include <set>

#include "analysis/export/exporter.hpp"
#include "analysis/records/record_metrics.hpp"
#include "analysis/records/varied.hpp"
#include "src/output/table/format.hpp"

namespace epochcast::analysis::exporters {
namespace {

table::Cell cell(std::int64_t value) {
  return static_cast<double>(value);
}
table::Cell cell(double value) {
  return value;
}
template <std::size_t N>
table::Cell cell(const record::FixedText<N>& value) {
  return value.view().empty() ? table::Cell() : table::Cell(value.str());
}

template <class Value>
table::Column column_of(const std::string& key, const Value&) {
  constexpr bool is_number = std::is_arithmetic_v<Value>;
  return {.key = key,
          .heading = key,
          .kind = is_number ? table::Column::Kind::number : table::Column::Kind::text,
          .decimals = table::shortest_exact};
}

template <class Struct>
void add_columns(table::Table& table) {
  for_each_field<Struct>([&](const auto& field) {
    table.columns.push_back(column_of(std::string(field.name), Struct{}.*field.member));
  });
}

/// The fields of `object`, or as many empty cells if there is none.
template <class Struct>
void add_cells(table::Row& row, const Struct* object) {
  for_each_field<Struct>([&](const auto& field) {
    row.push_back(object == nullptr ? table::Cell() : cell(object->*field.member));
  });
}

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

void add_parameters(table::Row& row, const record::Record& record,
                    const std::set<std::string>& names) {
  for (const auto& name : names) {
    const auto value = record::parameter(record, name);
    row.push_back(value.empty() ? table::Cell() : table::Cell(value));
  }
}

table::Table runs_of(const std::vector<LoadedRecord>& records) {
  const auto parameters = names_in(records, &record::Record::parameters);
  const auto metrics = names_in(records, &record::Record::metrics);
  table::Table table{
      .name = "runs", .title = "Runs", .columns = {table::text_column("record", "record")}};
  add_columns<record::RecordHeader>(table);
  for (const auto& name : parameters) {
    table.columns.push_back(table::text_column("parameter." + name, name));
  }
  add_columns<record::Work>(table);
  add_columns<record::Machine>(table);
  table.columns.push_back(table::number_column("epochs_recorded", "epochs recorded", "", 0));
  table.columns.push_back(table::number_column("total_s", "total", "s", table::shortest_exact));
  for (const auto& name : metrics) {
    table.columns.push_back(table::number_column("last." + name, name, "", table::shortest_exact));
  }
  for (const auto& [path, record] : records) {
    table::Row row{path};
    add_cells(row, &record.header);
    add_parameters(row, record, parameters);
    add_cells(row, first_of(record.work));
    add_cells(row, first_of(record.machines));
    row.emplace_back(static_cast<double>(record.epochs.size()));
    row.push_back(table::cell_of(total_training_s(record)));
    for (const auto& name : metrics) {
      row.push_back(table::cell_of(last_metric(record, name)));
    }
    table.rows.push_back(row);
  }
  return table;
}

table::Cell metric_at(const record::Record& record, std::int64_t epoch, const std::string& name) {
  for (const auto& metric : record.metrics) {
    if (metric.epoch == epoch && metric.iteration == 0 && metric.name.view() == name) {
      return metric.value;
    }
  }
  return {};
}

table::Table epochs_of_all(const std::vector<LoadedRecord>& records) {
  const auto metrics = names_in(records, &record::Record::metrics);
  table::Table table{
      .name = "epochs", .title = "Epochs", .columns = {table::text_column("record", "record")}};
  for (const auto* key : {"point", "allocation", "source", "outcome"}) {
    table.columns.push_back(table::text_column(key, key));
  }
  const auto varied = varied_parameters(records);
  for (const auto& name : varied) {
    table.columns.push_back(table::text_column("parameter." + name, name));
  }
  add_columns<record::Epoch>(table);
  for (const auto& name : metrics) {
    table.columns.push_back(table::number_column(name, name, "", table::shortest_exact));
  }
  for (const auto& [path, record] : records) {
    const auto& header = record.header;
    for (const auto& epoch : record.epochs) {
      table::Row row{path, header.point.str(), header.allocation.str(), header.source.str(),
                     header.outcome.str()};
      add_parameters(row, record, {varied.begin(), varied.end()});
      add_cells(row, &epoch);
      for (const auto& name : metrics) {
        row.push_back(metric_at(record, epoch.epoch, name));
      }
      table.rows.push_back(row);
    }
  }
  return table;
}

std::vector<ExportedFile> make(const std::vector<LoadedRecord>& records) {
  const auto& write = table::formats::all().at("csv").write;
  return {{"epochs.csv", write({epochs_of_all(records)})}, {"runs.csv", write({runs_of(records)})}};
}

}  // namespace

ExporterSpec csv() {
  return {.summary = "epochs.csv (one row per epoch) and runs.csv (one row per record)",
          .make = make};
}

}  // namespace epochcast::analysis::exporters
