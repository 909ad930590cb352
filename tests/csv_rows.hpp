// A table that a program printed as CSV: tests ask for its cells by the keys of their columns.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "src/base/core/csv.hpp"

namespace epochcast {

/// The rows below the header, each by key.
inline std::vector<std::map<std::string, std::string>> csv_rows(const std::string& text) {
  const auto lines = parse_csv(text);
  std::vector<std::map<std::string, std::string>> rows;
  for (std::size_t line = 1; line < lines.size(); ++line) {
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i < lines[line].size(); ++i) {
      row[lines.front().at(i)] = lines[line][i];
    }
  }
  return rows;
}

/// The first row in which that column says so; empty if there is none.
inline std::map<std::string, std::string> csv_row(const std::string& text, const std::string& key,
                                                  const std::string& value) {
  for (const auto& row : csv_rows(text)) {
    if (const auto cell = row.find(key); cell != row.end() && cell->second == value) {
      return row;
    }
  }
  return {};
}

}  // namespace epochcast
