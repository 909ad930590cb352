// Runs of others as a table of iterations holds them: run,iteration,duration_s[,samples].
#pragma once

#include <string>
#include <vector>

#include "src/base/core/csv_file.hpp"

namespace epochcast::analysis {

/// The iterations of one run in their order.
struct IterationLog {
  std::vector<double> duration_s;
  std::vector<double> samples;  ///< Of each; empty if the file has no such column.
};

struct IterationLogs {
  std::vector<IterationLog> runs;  ///< By name, so that the order of rows does not matter.
  ExcludedRows broken;
};

/// Throws Error if run or duration_s is missing. Without the column iteration, rows stand in
/// order.
IterationLogs read_iteration_logs(const CsvFile& file);

}  // namespace epochcast::analysis
