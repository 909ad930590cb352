// The time stamp that a line of a log may begin with.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "src/measure/progress/lines/stamp_forms.hpp"

namespace epochcast::progress {

/// In the usual forms: "2026-11-24 22:01:09,123", "2026-11-24T22:01:09.5+01:00", "11/24/2026
/// 22:01:09",
/// "[11/24 22:01:09 name]", "24-Nov-26 22:01:09", "Nov 24 22:01:09", "I1124 22:01:09.5 7 a.py:3]",
/// "[22:01:09]", "22:01:09", "[   12.345678]", "1795557669.5"; also after the label of a level,
/// host or rank ("INFO:", "[rank0]:"). MLPerf's events hold "time_ms" inside.
struct Stamp {
  StampKind kind = StampKind::none;
  std::size_t size = 0;  ///< Bytes of the line up to its message: label, stamp, level.
  double seconds = 0;
  ByOrder in_order = {};  ///< As in WrittenTime, also `coarse`.
  bool coarse = false;
};
Stamp take_stamp(std::string_view line);

/// Whether the line is nothing but its stamp, as `date` prints it.
bool is_bare(const Stamp& stamp, std::string_view line);

/// Whether something in the line looks like a stamp, understood or not: "8h01m00 ...".
bool looks_stamped(std::string_view line);

/// How the stamps of a log are to be read.
struct DateReading {
  DateOrder order = DateOrder::month_first;
  bool leap_year = true;  ///< Where they state no year.
};

/// The orders in which the most stamps of a text are dates, time goes up and no weeks pass at once;
/// of those that give the same times, one.
std::vector<DateOrder> date_orders(std::string_view text);
/// Whether the year of stamps that state none is a leap year: both are possible where they pass
/// from February to March and none is of the 29th; where it does not matter, one.
std::vector<bool> leap_years(std::string_view text);

/// Turns the stamps of a log, in their order, into seconds since its first one; midnight or a new
/// year may pass between two of them. Clocks of two kinds are set by where they first meet.
class StampClock {
 public:
  explicit StampClock(const DateReading& dates = {}) : dates_(dates) {}
  std::optional<double> time_s(const Stamp& stamp);

 private:
  struct Clock {
    double origin_s = 0;
    double last_s = 0;
    double rounds_s = 0;  ///< Days, or years, that have passed.
  };
  DateReading dates_;
  std::map<StampKind, Clock> clocks_;
  double now_s_ = 0;
};

}  // namespace epochcast::progress
