#include "src/output/table/format.hpp"

#include <algorithm>

#include "src/base/core/text.hpp"
#include "src/base/text/unicode.hpp"
#include "src/base/text/utf8.hpp"

namespace epochcast::table {

std::vector<std::vector<std::string>> stacked_headings(const Table& table) {
  std::vector<std::vector<std::string>> columns;
  std::size_t height = 0;
  for (const auto& column : table.columns) {
    auto& words = columns.emplace_back(split(printable(column.heading), ' '));
    if (!column.unit.empty()) {
      words.push_back(printable(column.unit));
    }
    height = std::max(height, words.size());
  }
  std::vector<std::vector<std::string>> lines(height);
  for (const auto& words : columns) {
    for (std::size_t i = 0; i < height; ++i) {
      const auto blank = height - words.size();
      lines[i].push_back(i < blank ? "" : words[i - blank]);
    }
  }
  return lines;
}

std::size_t display_width(std::string_view text) {
  int columns = 0;
  for (std::size_t at = 0; at < text.size();) {
    columns += text::unicode::columns(text::next_code_point(text, at));
  }
  return static_cast<std::size_t>(columns);
}

}  // namespace epochcast::table
