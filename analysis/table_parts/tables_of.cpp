#include "analysis/table_parts/tables_of.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "analysis/groups/excluded_runs.hpp"
#include "analysis/records/comparable.hpp"
#include "analysis/records/disturbed.hpp"
#include "src/core/text.hpp"

namespace epochcast::analysis {
namespace {

constexpr std::size_t most_notes = 5;

bool separates_repeats(const TableOptions& options) {
  const auto repeats = names_of({run::ParameterRole::repeat});
  return std::ranges::any_of(options.by,
                             [&](const std::string& name) { return repeats.contains(name); });
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

}  // namespace

std::vector<table::Table> tables_of(const TableSpec& spec, const std::vector<LoadedRecord>& records,
                                    const TableOptions& options) {
  if (spec.keeps_disturbed || separates_repeats(options)) {
    return spec.make(records, options);
  }
  std::vector<ExcludedRun> excluded;
  std::vector<std::string> notes;
  std::set<std::size_t> left_out;
  for (const auto& run : disturbed_runs(records)) {
    const auto& path = records[run.index].path;
    if (run.clean_repeats > 0) {
      left_out.insert(run.index);
      excluded.push_back({path, fmt::format("disturbed: {} ({} of it in the table)", run.text,
                                            counted(run.clean_repeats, "undisturbed run"))});
    } else {
      notes.push_back(fmt::format("{} was disturbed, and there is no undisturbed repeat of it: {}",
                                  path, run.text));
    }
  }
  auto tables = left_out.empty() ? spec.make(records, options)
                                 : spec.make(records_without(records, left_out), options);
  if (notes.size() > most_notes) {
    const auto more = notes.size() - most_notes;
    notes.resize(most_notes);
    notes.push_back(fmt::format("{} more runs were disturbed; 'table telemetry' names them", more));
  }
  if (!excluded.empty()) {
    notes.push_back(fmt::format("left out: {} that others disturbed, beside undisturbed repeats",
                                counted(excluded.size(), "run")));
  }
  if (!tables.empty()) {
    for (const auto& note : notes) {
      table::add_note(tables.front(), note);
    }
  }
  add_excluded(tables, excluded);
  return tables;
}

}  // namespace epochcast::analysis
