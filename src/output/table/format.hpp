// Declares how tables are written, and the registry of formats (src/output/table/formats/, one file
// each).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/output/table/table.hpp"

namespace epochcast::table {

struct FormatSpec {
  std::string summary;
  std::string suffix;             ///< Suffix of a file: "csv".
  bool one_table_a_file = false;  ///< `write` gets one table at a time.
  bool for_readers = false;       ///< Columns that are details are left out.
  std::function<std::string(const std::vector<Table>&)> write;
};

namespace formats {
const std::map<std::string, FormatSpec>& all();
}

/// The words of each column's heading and its unit, stacked: lines of one text a column, aligned at
/// the bottom.
std::vector<std::vector<std::string>> stacked_headings(const Table& table);

/// What `text` makes of each cell of a row and its column.
template <class Text>
std::vector<std::string> row_texts(const Table& table, const Row& row, Text text) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < row.size(); ++i) {
    texts.push_back(text(row[i], table.columns[i]));
  }
  return texts;
}

/// Number of characters of UTF-8 text, as a terminal counts columns (wide characters count as two).
std::size_t display_width(std::string_view text);

}  // namespace epochcast::table
