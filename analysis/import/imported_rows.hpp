// Durations that a table gives row by row, as records, and what all importers say about them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/record/record.hpp"

namespace epochcast::analysis {

/// The content of one line.
struct ImportedRow {
  std::string run;                  ///< Rows of one name make one record.
  std::optional<double> epoch;      ///< Its number in the source.
  std::optional<double> iteration;  ///< Of an epoch the line says nothing more where there is one.
  double duration_s = 0;            ///< Of the iteration, else of the epoch.
  double samples = 0;               ///< 0: not stated.
  std::map<std::string, double> metrics = {};  ///< Loss, accuracy, ... by name, after the duration.
};

/// Where the rows come from.
struct RowSource {
  std::string kind;  ///< Name of the importer.
  std::string file;
  std::string allocation;  ///< Empty: the file's name.
  std::string gpu;         ///< Empty: not known.
};

/// A record without rows, of the run of this name in the source.
record::Record new_record(const std::string& run, const RowSource& source);

/// A record a run, in the order of the runs' names; rows by their numbers, whatever their order
/// was, and equal numbers (a restart) as they came. The records do not claim how many epochs there
/// were to be.
std::vector<record::Record> records_of(std::vector<ImportedRow> rows, const RowSource& source);

/// What becomes of rows that have their numbers twice, or in another order.
enum class RowOrder {
  by_number,  ///< As records_of does it.
  as_it_came  ///< Where a number is not above the one before, the record counts on.
};

/// What the numbers of the rows, in the order of the source, do not make of one whole run, a line
/// for each run and kind: "run 'a': epoch 3 occurs 2 times". Empty: nothing.
std::vector<std::string> notes_on_numbers(const std::vector<ImportedRow>& rows,
                                          RowOrder order = RowOrder::by_number);

/// The text as a number above 0. Throws Error "duration_s: found '-1', expected a number above 0".
double positive_number(const std::string& text, const std::string& name);

/// The text as a number that is not negative and no larger than a count can be. Throws Error as
/// positive_number.
double counted_number(const std::string& text, const std::string& name);

/// The seconds, if a step or an epoch can take so long. Throws Error with `text`, what was found.
double plausible_duration_s(double seconds, const std::string& text);

}  // namespace epochcast::analysis
