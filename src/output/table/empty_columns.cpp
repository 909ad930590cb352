#include "src/output/table/empty_columns.hpp"

#include <algorithm>

#include "src/base/core/lists.hpp"
#include "src/base/core/text.hpp"
#include "src/output/table/columns.hpp"

namespace epochcast::table {
namespace {

bool is_blank(const Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  return cell.index() == 0 || (text != nullptr && text->empty());
}

bool is_blank_in_all(const Table& table, std::size_t place) {
  return !table.rows.empty() &&
         std::ranges::all_of(table.rows, [place](const Row& row) { return is_blank(row[place]); });
}

}  // namespace

std::vector<std::string> remove_empty_columns(Table& table) {
  const auto removed = remove_columns_if(
      table, [&](std::size_t place) { return place > 0 && is_blank_in_all(table, place); });
  return mapped(removed, &Column::heading);
}

Table without_empty_columns(Table table) {
  if (const auto removed = remove_empty_columns(table); !removed.empty()) {
    add_note(table, "without a value in any row: " + join(removed, ", "));
  }
  return table;
}

}  // namespace epochcast::table
