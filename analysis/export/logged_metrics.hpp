// The metrics of a record as trackers of experiments hold them: each with a time and a step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/record/record.hpp"

namespace epochcast::analysis {

struct LoggedMetric {
  std::int64_t at_ms = 0;  ///< Since 1970.
  std::int64_t step = 0;   ///< Of the run, from 0; where steps were not counted, the epoch.
  std::int64_t epoch = 0;  ///< From 0.
  std::string name;
  double value = 0;
};

/// Time since 1970 of the record's time 0, in milliseconds.
std::int64_t origin_ms(const record::Record& record);

/// The metrics of epochs and within them, and the time of each epoch as "wall_s", in the order of
/// epochs.
std::vector<LoggedMetric> logged_metrics(const record::Record& record);

}  // namespace epochcast::analysis
