// Looks into tables by name.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "src/output/table/table.hpp"

namespace epochcast::analysis {

inline const table::Table& part_of(const std::vector<table::Table>& tables,
                                   const std::string& name) {
  static const table::Table none;
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [&](const table::Table& table) { return table.name == name; });
  EXPECT_NE(found, tables.end()) << "no table " << name;
  return found == tables.end() ? none : *found;
}

/// A column as people read it.
inline std::vector<std::string> column_of(const table::Table& table, const std::string& key) {
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    for (const auto& row : table.rows) {
      if (table.columns[i].key == key) {
        cells.push_back(table::cell_text(row[i], table.columns[i]));
      }
    }
  }
  return cells;
}

/// A number of a method's first row (the rows that it answered, if it refused some).
inline double number(const table::Table& table, const std::string& method, const std::string& key) {
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[0] == table::Cell(method) && table.columns[i].key == key &&
          std::holds_alternative<double>(row[i])) {
        return std::get<double>(row[i]);
      }
    }
  }
  ADD_FAILURE() << "no " << key << " of " << method;
  return 0;
}

}  // namespace epochcast::analysis
