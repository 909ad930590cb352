// The time stamp that a line of a log may begin with.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace epochcast::progress {

/// "2026-11-24 22:01:09,123", "2026-11-24T22:01:09.5+01:00", "[2026-11-24 22:01:09]", "[22:01:09]",
/// "22:01:09", and "[   12.345678]", seconds since a start. MLPerf's events hold "time_ms" inside.
struct Stamp {
  std::size_t size = 0;  ///< Bytes of the line that it takes, with the space behind it; 0: none.
  bool of_day = false;   ///< Seconds since midnight: there is no date.
  double seconds = 0;
};
Stamp take_stamp(std::string_view line);

/// Turns the stamps of a log, in their order, into seconds since its first one; midnight may pass
/// between two of them.
class StampReader {
 public:
  std::optional<double> read(const Stamp& stamp);

 private:
  std::optional<double> first_s_;
  double last_s_ = 0;
  double days_s_ = 0;
};

}  // namespace epochcast::progress
