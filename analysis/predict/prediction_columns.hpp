// Columns of predicted times, which are in seconds.
#pragma once

#include <string>

#include "src/forecast/statistics/prediction.hpp"
#include "src/output/table/make_table.hpp"

namespace epochcast::analysis {

/// How a table shows a time.
struct TimeUnit {
  const char* name;
  double per_second;
  int decimals;
};
inline constexpr TimeUnit in_seconds{"s", 1, 1};
inline constexpr TimeUnit in_milliseconds{"ms", 1e3, 3};

/// The ends of the 80 and the 95 % interval ("low_80_s"), empty where they are not known.
table::Columns<forecast::Prediction> interval_columns(const TimeUnit& unit = in_seconds);

/// The value ("KEY_s"), then its intervals.
table::Columns<forecast::Prediction> prediction_columns(const std::string& key,
                                                        const std::string& heading,
                                                        const TimeUnit& unit = in_seconds);

}  // namespace epochcast::analysis
