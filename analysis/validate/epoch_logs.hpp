// Runs of others as a table of epochs holds them: the columns of `export epochs`.
#pragma once

#include <string>
#include <vector>

#include "src/core/csv_file.hpp"

namespace epochcast::analysis {

/// The epochs of one run in the order they started.
struct EpochLog {
  std::string submitter;  ///< In lower case: sources spell one name in several ways.
  std::string benchmark;
  std::vector<double> epoch_s;
  bool overlaps = false;  ///< An epoch starts before the one before it has ended.
};

struct EpochLogs {
  /// By repository and path, so that the order of rows does not matter.
  std::vector<EpochLog> runs;
  ExcludedRows broken;
};

/// Reads the columns repo, path, dur_s and, where there, kind (only "epoch" is taken), submitter,
/// benchmark, seq and start_ms. Throws Error if path or dur_s is missing.
EpochLogs read_epoch_logs(const CsvFile& file);

}  // namespace epochcast::analysis
