// Runs that others disturbed, beside undisturbed repeats of the same work.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "analysis/records/records.hpp"

namespace epochcast::analysis {

struct DisturbedRun {
  std::size_t index = 0;  ///< In the records.
  std::string text;       ///< telemetry::disturbance_text()
  /// Runs that ended, may be compared, were not disturbed, and had the same allocation, device,
  /// source and parameters, but for seed and repeat.
  std::size_t clean_repeats = 0;
};

/// The disturbed ones among `records`, in their order.
std::vector<DisturbedRun> disturbed_runs(const std::vector<LoadedRecord>& records);

/// The records without those at `indexes`.
std::vector<LoadedRecord> records_without(const std::vector<LoadedRecord>& records,
                                          const std::set<std::size_t>& indexes);

}  // namespace epochcast::analysis
