// The registry of tables (analysis/tables/, one file each).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "analysis/records/records.hpp"
#include "src/forecast/efficiency/model_work.hpp"
#include "src/output/table/table.hpp"

namespace epochcast::analysis {

struct TableOptions {
  std::vector<std::string> by = {};  ///< Attributes of the records that get rows of their own.
  std::string device = {};           ///< A file of measure-device, or a name of the database.
  /// A cluster profile whose prices replace those in the records; empty: none.
  std::string cluster = {};
  std::vector<std::string> filter = {};  ///< Conditions NAME=VALUE, for a table that reads records.
  /// The two sides of a comparison: files and folders, or conditions NAME=VALUE.
  std::vector<std::string> base = {};
  std::vector<std::string> changed = {};
  /// Where a table that reads records itself adds a line for each damaged file.
  std::vector<std::string>* damaged = nullptr;
  efficiency::StatedWork work = {};  ///< Of table runs.
};

/// Of a table that answers the question of a study, if its main table has so many different numbers
/// in that column (no column: if it has rows). A report begins with the first of them.
struct Answer {
  int place = 0;  ///< Among the results, from 1; 0: none of them.
  std::string column = {};
  std::size_t values = 0;
};

struct TableSpec {
  std::string summary;
  /// The main table first. Records come filtered and sorted by path.
  std::function<std::vector<table::Table>(const std::vector<LoadedRecord>&, const TableOptions&)>
      make = {};
  /// Whether `make` looks at the steps of a record. They are nearly all of a record.
  record::Rows rows = record::Rows::all;
  /// Whether it shows runs that others disturbed beside undisturbed repeats (tables_of): a
  /// table that does not summarize times.
  bool keeps_disturbed = false;
  /// A table of other files than records, which it reads itself. With `make` too: of histories of
  /// jobs, if only such files are given.
  std::function<std::vector<table::Table>(const std::vector<std::string>& files,
                                          const TableOptions&)>
      of_files = {};
  std::vector<std::string> own_options = {};  ///< Of the command, which no other table takes.
  /// The column of the main table that --fail-above looks at; empty: none.
  std::string sure_percent = {};
  Answer answer = {};
};

namespace tables {
const std::map<std::string, TableSpec>& all();
}

/// The tables of `spec`. Unless it keeps them, runs that others disturbed are left out if there are
/// undisturbed repeats of the same work, and the table of excluded runs names them; those that have
/// none are kept, and a note below the first table says so. Nothing is left out if `options.by`
/// separates repeats.
std::vector<table::Table> tables_of(const TableSpec& spec, const std::vector<LoadedRecord>& records,
                                    const TableOptions& options);

}  // namespace epochcast::analysis
