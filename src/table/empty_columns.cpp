#include "src/table/empty_columns.hpp"

#include <algorithm>

namespace epochcast::table {
namespace {

bool is_blank(const Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  return cell.index() == 0 || (text != nullptr && text->empty());
}

}  // namespace

std::vector<std::string> remove_empty_columns(Table& table) {
  std::vector<std::string> removed;
  for (std::size_t i = table.columns.size(); i-- > 1 && !table.rows.empty();) {
    if (std::ranges::all_of(table.rows, [i](const Row& row) { return is_blank(row[i]); })) {
      const auto at = static_cast<std::ptrdiff_t>(i);
      removed.insert(removed.begin(), table.columns[i].heading);
      table.columns.erase(table.columns.begin() + at);
      for (auto& row : table.rows) {
        row.erase(row.begin() + at);
      }
    }
  }
  return removed;
}

}  // namespace epochcast::table
