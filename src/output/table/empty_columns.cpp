#include "src/output/table/empty_columns.hpp"

#include <algorithm>

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
  std::vector<std::string> removed;
  for (const auto& column : remove_columns_if(
           table, [&](std::size_t place) { return place > 0 && is_blank_in_all(table, place); })) {
    removed.push_back(column.heading);
  }
  return removed;
}

}  // namespace epochcast::table
