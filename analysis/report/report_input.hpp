// What a report is made of: records, the files that are no records, ledgers beside them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/records/records.hpp"
#include "src/forecast/ledger/ledger.hpp"

namespace epochcast::analysis {

/// With more steps than this (80 bytes each) a report keeps none of them.
inline constexpr std::size_t most_report_steps = 10'000'000;

struct ReportRequest {
  std::vector<std::string> paths;    ///< Files and folders with records.
  std::vector<std::string> filters;  ///< "name=value", as `table --filter`.
  std::vector<std::string> ledgers;  ///< Files; empty: those of the folders of the records.
  std::string cluster = {};          ///< Profile with prices; empty: those in the records.
  std::size_t most_steps = most_report_steps;
};

struct ReportInput {
  ReportRequest request;
  std::vector<LoadedRecord> records = {};  ///< Sorted by path; at least one.
  std::vector<std::string> damaged = {};  ///< A line for each file that is damaged or inconsistent.
  std::vector<std::string> ledgers = {};  ///< Files that were found.
  /// Why the records came without their steps, one line; empty: they have them.
  std::string without_steps = {};
};

/// Reads all of it. Throws Error for a path that does not exist, if there is no record, if no
/// record obeys the filters, and for a ledger of the request that is none.
ReportInput read_report_input(ReportRequest request);

/// "OUT/ledger.csv" for records in OUT or in OUT/records, where there is one.
std::vector<std::string> ledgers_beside(const std::vector<std::string>& paths);

}  // namespace epochcast::analysis
