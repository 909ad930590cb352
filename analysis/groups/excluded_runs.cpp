#include "analysis/groups/excluded_runs.hpp"

#include <algorithm>

#include "src/output/table/make_table.hpp"

namespace epochcast::analysis {

table::Table excluded_table(const std::vector<ExcludedRun>& runs) {
  const table::Columns<ExcludedRun> columns{{"record", "record", &ExcludedRun::path},
                                            {"reason", "reason", &ExcludedRun::reason}};
  auto table = table::make_table("excluded", "Excluded runs", columns, runs);
  table.lists_excluded = true;
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
