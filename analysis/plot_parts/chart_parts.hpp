// What several pictures share: values of tables by name, ranges of repeats, words for subtitles.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/groups/undisturbed.hpp"
#include "analysis/plot_parts/plot_spec.hpp"
#include "src/output/plot/chart.hpp"
#include "src/output/table/table.hpp"

namespace epochcast::analysis {

/// The tables that 'table NAME' prints of these records.
std::vector<table::Table> tables_of(const std::string& name,
                                    const std::vector<LoadedRecord>& records,
                                    const PlotOptions& options);

/// The table of that name; nullptr if there is none.
const table::Table* find_table(const std::vector<table::Table>& tables, const std::string& name);

/// The cell in the column `key`; std::nullopt where it is empty, of the other kind, or no column.
std::optional<double> number_in(const table::Table& table, const table::Row& row,
                                const std::string& key);
std::string text_in(const table::Table& table, const table::Row& row, const std::string& key);

/// A point with the median of `repeats` (not empty), their range where there are several, and their
/// number as note.
plot::Point repeats_point(double x, const std::vector<double>& repeats);

/// "3 runs left out: PATH: REASON; ..." in one line, with the first few; nothing if there are none.
std::vector<std::string> excluded_notes(const std::vector<ExcludedRun>& excluded);

/// The same of the table 'excluded' among `tables`.
std::vector<std::string> excluded_notes(const std::vector<table::Table>& tables);

/// "published figures" or "simulated" where all or some of the records are not measured; else "".
std::string source_words(const std::vector<LoadedRecord>& records);

/// The words that are not empty, with "; " between them.
std::string joined(const std::vector<std::string>& words);

/// The charts that `draw` makes of each record, until four records have a first chart with values.
/// A record whose first chart has none is left out with that chart's notes as the reason. Notes
/// name those left out, and how many more there are for which `has` holds. `what` they have:
/// "telemetry".
std::vector<plot::Chart> charts_of_first_runs(
    const std::vector<LoadedRecord>& records, const std::string& what,
    const std::function<bool(const record::Record&)>& has,
    const std::function<std::vector<plot::Chart>(const LoadedRecord&)>& draw);

/// The distinct values in rising order.
std::vector<double> distinct(std::vector<double> values);

}  // namespace epochcast::analysis
