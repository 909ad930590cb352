// Questions that forecasts are scored on with measured data, and their registry
// (analysis/validate/validators/, one file a question).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "src/base/core/csv_file.hpp"
#include "src/output/table/table.hpp"

namespace epochcast::analysis {

struct ValidateOptions {
  /// How many epochs, iterations ... are given; empty: the question's own choice.
  std::vector<std::size_t> seen;
  /// Files of the same columns that intervals are learned from.
  std::vector<CsvFile> learn = {};
  /// Also forecast each run from runs of the same program on other systems.
  bool relatives = false;
  /// Also the method with each of its parts left out, in place of the simple rules.
  bool ablate = false;
};

struct ValidatorSpec {
  std::string summary;
  /// Of the file, as the help names them: "run,iteration,duration_s[,samples]".
  std::string columns;
  /// Tables of scores (analysis/validate/forecast_scores.hpp). Rows that cannot be used are left
  /// out and counted in a note. Throws Error if a column is missing or no row can be used.
  std::function<std::vector<table::Table>(const CsvFile&, const ValidateOptions&)> score;
  bool learns = false;         ///< Uses ValidateOptions::learn.
  bool has_relatives = false;  ///< Uses ValidateOptions::relatives.
  bool has_parts = false;      ///< Uses ValidateOptions::ablate.
};

namespace validators {
const std::map<std::string, ValidatorSpec>& all();
}

}  // namespace epochcast::analysis
