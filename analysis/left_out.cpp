#include "analysis/left_out.hpp"

#include <algorithm>

namespace epochcast {

Table left_out_table(const std::vector<LeftOutRun>& runs) {
  Table table{.name = "left_out",
              .title = "Runs left out",
              .columns = {text_column("record", "record"), text_column("reason", "reason")}};
  for (const auto& run : runs) {
    table.rows.push_back({run.path, run.reason});
  }
  return table;
}

std::vector<Table> not_empty(std::vector<Table> tables) {
  const auto empty = std::remove_if(tables.begin() + 1, tables.end(), [](const Table& table) {
    return table.rows.empty() && table.notes.empty();
  });
  tables.erase(empty, tables.end());
  return tables;
}

}  // namespace epochcast
