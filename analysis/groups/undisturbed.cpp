#include "analysis/groups/undisturbed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/records/disturbed.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/telemetry/disturbance.hpp"
#include "src/output/table/make_table.hpp"
#include "src/record/comparable.hpp"

namespace epochcast::analysis {
namespace {

/// "4 runs were disturbed, and there is no undisturbed repeat of them: a.h5, b.h5, ... (2 more)".
std::string disturbed_note(const std::vector<ExcludedRun>& runs) {
  constexpr std::size_t most_named = 5;
  const auto& first = runs.front();
  if (runs.size() == 1) {
    return fmt::format("{} was disturbed, and there is no undisturbed repeat of it: {}", first.path,
                       first.reason);
  }
  auto names = mapped(runs, &ExcludedRun::path);
  const auto more = names.size() > most_named ? names.size() - most_named : 0;
  names.resize(names.size() - more);
  return fmt::format(
      "{} were disturbed, and there is no undisturbed repeat of them: {}{}; the first: {} ('table "
      "telemetry' has the other causes)",
      counted(runs.size(), "run"), join(names, ", "),
      more > 0 ? fmt::format(" and {} more", more) : "", first.reason);
}

std::string percents(const std::vector<double>& rising) {
  const auto lowest = fmt::format("{:.0f}", rising.front() * 100);
  const auto highest = fmt::format("{:.0f}", rising.back() * 100);
  return lowest == highest ? lowest : lowest + " to " + highest;
}

}  // namespace

Undisturbed undisturbed(const std::vector<LoadedRecord>& records) {
  Undisturbed found;
  std::set<std::size_t> stays_disturbed;
  for (auto& run : disturbed_runs(records)) {
    const auto& path = records[run.index].path;
    if (run.clean_repeats > 0) {
      found.left_out.insert(run.index);
      found.excluded.push_back({path, fmt::format("disturbed: {} (in its place: {})", run.text,
                                                  counted(run.clean_repeats, "undisturbed run"))});
    } else {
      found.disturbed.push_back({path, std::move(run.text)});
      stays_disturbed.insert(run.index);
    }
  }
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto& record = records[i].record;
    if (!found.left_out.contains(i) && fault_of(record).empty()) {
      ++found.usable;
      found.usable_disturbed += stays_disturbed.contains(i) ? 1 : 0;
      if (const double use = telemetry::harmless_use(record.usage); use > 0) {
        found.harmless.push_back(use);
      }
    }
  }
  std::ranges::sort(found.harmless);
  return found;
}

std::vector<std::string> disturbance_notes(const Undisturbed& found) {
  std::vector<std::string> notes;
  if (!found.disturbed.empty()) {
    notes.push_back(disturbed_note(found.disturbed));
  }
  if (!found.excluded.empty()) {
    notes.push_back(fmt::format("left out: {} that others disturbed, beside undisturbed repeats",
                                counted(found.excluded.size(), "run")));
  }
  if (!found.harmless.empty()) {
    notes.push_back(
        fmt::format("others used {} % of the CPUs of {} of {}, and took no time from {}",
                    percents(found.harmless), found.harmless.size(), counted(found.usable, "run"),
                    found.harmless.size() == 1 ? "it" : "them"));
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
    if (found.usable_disturbed > 0) {
      tables.front().title += fmt::format(" (DISTURBED times: {} of {})", found.usable_disturbed,
                                          counted(found.usable, "run"));
    }
    for (const auto& note : disturbance_notes(found)) {
      table::add_note(tables.front(), note);
    }
  }
  add_excluded(tables, found.excluded);
}

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
