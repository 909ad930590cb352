#include "analysis/records/varied.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "src/base/core/text.hpp"
#include "src/record/queries.hpp"

namespace epochcast::analysis {

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
  if (varied.size() > 1) {
    std::erase(varied, "command");
  }
  return varied;
}

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
  return text.empty() ? table::Cell() : table::Cell(text);
}

std::vector<table::Column> varied_columns(const std::vector<LoadedRecord>& records,
                                          std::size_t most) {
  std::vector<table::Column> columns;
  for (const auto& name : varied_parameters(records)) {
    if (columns.size() < most) {
      columns.push_back(attribute_column(name, records));
    }
  }
  return columns;
}

void insert_columns(table::Table& table, std::size_t before,
                    const std::vector<table::Column>& columns,
                    const std::vector<LoadedRecord>& records) {
  const auto at = static_cast<std::ptrdiff_t>(before);
  table.columns.insert(table.columns.begin() + at, columns.begin(), columns.end());
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    table::Row cells;
    for (const auto& column : columns) {
      cells.push_back(attribute_cell(records[i].record, column));
    }
    table.rows[i].insert(table.rows[i].begin() + at, cells.begin(), cells.end());
  }
}

}  // namespace epochcast::analysis
