// Which disturbed runs are left out beside undisturbed repeats, and what to say of the others: one
// rule for tables, pictures and forecasts.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "analysis/records/records.hpp"
#include "src/output/table/table.hpp"

namespace epochcast::analysis {

/// What a table did not count, and why: a row of the table after all others.
struct ExcludedRun {
  std::string path;
  std::string reason;
};

/// Without rows where nothing was left out.
table::Table excluded_table(const std::vector<ExcludedRun>& runs);

/// The first table, and of the others those that have rows or notes.
std::vector<table::Table> not_empty(std::vector<table::Table> tables);

struct Undisturbed {
  std::set<std::size_t> left_out;     ///< Of the records: undisturbed repeats of the run are there.
  std::vector<ExcludedRun> excluded;  ///< The same runs, with cause and number of those repeats.
  std::vector<ExcludedRun> disturbed;  ///< Runs without such a repeat, with the cause: they stay.
  std::size_t usable = 0;              ///< Runs that stay and whose times may be compared.
  std::size_t usable_disturbed = 0;    ///< The disturbed ones among them.
  std::vector<double> harmless;        ///< telemetry::harmless_use() of the others, rising.
};

Undisturbed undisturbed(const std::vector<LoadedRecord>& records);

/// A line that names the disturbed runs that stay (five, then how many more) and the cause of the
/// first one, one for those that were left out, and one for runs beside others that took no time.
std::vector<std::string> disturbance_notes(const Undisturbed& found);

/// Adds `runs` to the table of excluded runs among `tables`, which is made if there is none.
void add_excluded(std::vector<table::Table>& tables, const std::vector<ExcludedRun>& runs);

/// Says all of it in `tables`: in the title of the first one how many of its runs are disturbed, in
/// its notes which, and the excluded runs in the last.
void tell_disturbed(std::vector<table::Table>& tables, const Undisturbed& found);

}  // namespace epochcast::analysis
