// How far a run is, from the lines it writes while it runs.
#pragma once

#include <optional>
#include <string>

namespace epochcast::jobs {

struct Remaining {
  double elapsed_s = 0;          ///< Until its end, or until now while it runs.
  std::optional<double> left_s;  ///< Forecast; nothing before there is enough to go by.
};

/// Reads the JSON lines beside `record`.
Remaining remaining_time(const std::string& record);

}  // namespace epochcast::jobs
