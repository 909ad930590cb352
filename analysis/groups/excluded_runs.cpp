#include "analysis/groups/excluded_runs.hpp"

#include <algorithm>

namespace epochcast::analysis {

table::Table excluded_table(const std::vector<ExcludedRun>& runs) {
  table::Table table{
      .name = "excluded",
      .title = "Excluded runs",
      .columns = {table::text_column("record", "record"), table::text_column("reason", "reason")},
      .lists_excluded = true};
  for (const auto& run : runs) {
    table.rows.push_back({run.path, run.reason});
  }
  return table;
}

std::vector<table::Table> not_empty(std::vector<table::Table> tables) {
  const auto empty = std::remove_if(
      tables.begin() + 1, tables.end(),
      [](const table::Table& table) { return table.rows.empty() && table.notes.empty(); });
  tables.erase(empty, tables.end());
  return tables;
}

}  // namespace epochcast::analysis
