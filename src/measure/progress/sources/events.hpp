// The file that EPOCHCAST_EVENTS names, followed while a program writes it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/measure/progress/sources/source.hpp"

namespace epochcast::progress::sources {

/// Follows JSON lines (event.hpp); the file may come later. What is in it now is left out.
std::unique_ptr<Source> follow_events(const std::string& path, const ClockZero& zero);

/// The events of a whole file of a former run, gzip-compressed or not, in the order of their times;
/// events whose times do not fit the others are left out.
struct StoredReadings {
  std::vector<TimedReading> readings;
  std::vector<std::string> remarks;
  std::vector<std::string> notes = {};            ///< What could be read, and was left out.
  std::optional<double> began_since_1970_s = {};  ///< Time 0 of the readings.
};
/// Throws Error if the file cannot be read.
StoredReadings read_events(const std::string& path);

}  // namespace epochcast::progress::sources
