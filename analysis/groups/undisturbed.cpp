#include "analysis/groups/undisturbed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/records/disturbed.hpp"
#include "src/core/text.hpp"

namespace epochcast::analysis {

Undisturbed undisturbed(const std::vector<LoadedRecord>& records) {
  Undisturbed found;
  for (auto& run : disturbed_runs(records)) {
    const auto& path = records[run.index].path;
    if (run.clean_repeats > 0) {
      found.left_out.insert(run.index);
      found.excluded.push_back({path, fmt::format("disturbed: {} (in its place: {})", run.text,
                                                  counted(run.clean_repeats, "undisturbed run"))});
    } else {
      found.disturbed.push_back({path, std::move(run.text)});
    }
  }
  return found;
}

std::vector<std::string> disturbance_notes(const Undisturbed& found) {
  constexpr std::size_t most_named = 5;
  std::vector<std::string> notes;
  for (const auto& run : found.disturbed) {
    if (notes.size() == most_named) {
      notes.push_back(fmt::format("{} more runs were disturbed; 'table telemetry' names them",
                                  found.disturbed.size() - most_named));
      break;
    }
    notes.push_back(fmt::format("{} was disturbed, and there is no undisturbed repeat of it: {}",
                                run.path, run.reason));
  }
  if (!found.excluded.empty()) {
    notes.push_back(fmt::format("left out: {} that others disturbed, beside undisturbed repeats",
                                counted(found.excluded.size(), "run")));
  }
  return notes;
}

void add_excluded(std::vector<table::Table>& tables, const std::vector<ExcludedRun>& runs) {
  if (runs.empty()) {
    return;
  }
  auto more = excluded_table(runs);
  const auto found = std::ranges::find(tables, more.name, &table::Table::name);
  if (found == tables.end()) {
    tables.push_back(std::move(more));
    return;
  }
  found->rows.insert(found->rows.end(), more.rows.begin(), more.rows.end());
  std::ranges::stable_sort(found->rows, {}, [](const table::Row& row) { return row.front(); });
}

void tell_disturbed(std::vector<table::Table>& tables, const Undisturbed& found) {
  if (!tables.empty()) {
    for (const auto& note : disturbance_notes(found)) {
      table::add_note(tables.front(), note);
    }
  }
  add_excluded(tables, found.excluded);
}

}  // namespace epochcast::analysis
