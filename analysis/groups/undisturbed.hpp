// Which disturbed runs are left out beside undisturbed repeats, and what to say of the others: one
// rule for tables, pictures and forecasts.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "analysis/groups/excluded_runs.hpp"
#include "analysis/records/records.hpp"

namespace epochcast::analysis {

struct Undisturbed {
  std::set<std::size_t> left_out;     ///< Of the records: undisturbed repeats of the run are there.
  std::vector<ExcludedRun> excluded;  ///< The same runs, with cause and number of those repeats.
  std::vector<ExcludedRun> disturbed;  ///< Runs without such a repeat, with the cause: they stay.
};

Undisturbed undisturbed(const std::vector<LoadedRecord>& records);

/// Lines that name the disturbed runs that stay, with their causes (five, then how many more), and
/// say how many were left out.
std::vector<std::string> disturbance_notes(const Undisturbed& found);

/// Adds `runs` to the table of excluded runs among `tables`, which is made if there is none.
void add_excluded(std::vector<table::Table>& tables, const std::vector<ExcludedRun>& runs);

/// Says all of it in `tables`: notes in the first one, and the excluded runs in the last.
void tell_disturbed(std::vector<table::Table>& tables, const Undisturbed& found);

}  // namespace epochcast::analysis
