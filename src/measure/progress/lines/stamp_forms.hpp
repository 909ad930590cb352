// The forms in which programs write dates and times.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace epochcast::progress {

/// What a stamp states: a date and a time, a time of the day, a date without its year, seconds
/// since 1970 or since some start, or the clock of MLPerf's events.
enum class StampKind { none, date, time_of_day, day_of_year, seconds, event };

/// What comes first in "10/11/12"; with dots it is not the month.
enum class DateOrder { month_first, day_first, year_first };

/// Seconds in each DateOrder; empty: the date is none in that order.
using ByOrder = std::array<std::optional<double>, 3>;

/// A time at the front of a text: `size` bytes, and what they state.
struct WrittenTime {
  StampKind kind = StampKind::none;
  double seconds = 0;
  std::size_t size = 0;
  ByOrder in_order = {};  ///< Of a date of numbers whose order may differ; else all are empty.
  bool coarse = false;    ///< It states no seconds.
};

/// Whether the text has anything that these forms have; a quick look.
bool may_hold_time(std::string_view text);

/// "2026-11-24 22:01:09,123", "11/24 22:01:09 PM", "Tue Nov 24 22:01:09 CET 2026", "24/XI/26
/// 22:01", "24 nov. 2026 à 22:01", "2026-11-24_22-01-09", glog's "I1124 22:01:09.5"; with the
/// offset from UTC, if one is stated.
std::optional<WrittenTime> take_date(std::string_view text);
/// "1795557669.5", "1795557669512": seconds or milliseconds since 1970.
std::optional<WrittenTime> take_unix_time(std::string_view text);
/// "22:01:09,123", "10:01:09 PM".
std::optional<WrittenTime> take_time_of_day(std::string_view text);
/// "   12.345678" before "]": seconds since a start.
std::optional<WrittenTime> take_uptime(std::string_view text);
/// "40.3s", a tab and the number of the line, as a notebook of Kaggle prints: seconds since its
/// start.
std::optional<WrittenTime> take_notebook_time(std::string_view text);

}  // namespace epochcast::progress
