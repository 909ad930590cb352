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
  /// Files of the same columns with earlier jobs.
  std::vector<CsvFile> learn = {};
  /// The method with each of its parts left out, in place of the simple rules.
  bool ablate = false;
};

struct ValidatorSpec {
  std::string summary;
  /// Of the file, as the help names them: "submit,start_after_s,...".
  std::string columns;
  /// Tables of scores (analysis/validate/scoring.hpp). Rows that cannot be used are left
  /// out and counted in a note. Throws Error if a column is missing or no row can be used.
  std::function<std::vector<table::Table>(const CsvFile&, const ValidateOptions&)> score;
};

namespace validators {
const std::map<std::string, ValidatorSpec>& all();
}

}  // namespace epochcast::analysis
