#include "jobs/advise/deadline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::jobs {
namespace {

constexpr std::array<std::string_view, 7> weekdays{"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

[[noreturn]] void refuse_deadline(const std::string& text) {
  throw Error(fmt::format(
      "--deadline: found '{}', expected a time such as 'Fri 18:00', '18:00', '2026-12-01 18:00', "
      "or a duration such as 6h",
      printable(text)));
}

/// Whole numbers from the parts of `text`; std::nullopt unless there are `count` of them.
std::optional<std::vector<int>> numbers_in(std::string_view text, char separator,
                                           std::size_t count) {
  std::vector<int> numbers;
  for (const auto& part : split(text, separator)) {
    const auto number = parse_integer(part);
    if (!number || *number < 0 || *number > 9999) {
      return std::nullopt;
    }
    numbers.push_back(static_cast<int>(*number));
  }
  return numbers.size() == count ? std::optional(numbers) : std::nullopt;
}

/// The day of a weekday ("Fri", "friday") or date; of today for "".
void set_day(const std::string& day, const std::string& text, std::tm& when) {
  if (const auto date = numbers_in(day, '-', 3)) {
    when.tm_year = date->at(0) - 1900;
    when.tm_mon = date->at(1) - 1;
    when.tm_mday = date->at(2);
    return;
  }
  const auto name = to_lower(day).substr(0, 3);
  const auto found = std::ranges::find(weekdays, name);
  if (found == weekdays.end()) {
    refuse_deadline(text);
  }
  const auto wanted = static_cast<int>(found - weekdays.begin());
  when.tm_mday += (wanted - when.tm_wday + 7) % 7;
}

}  // namespace

double seconds_until(const std::string& deadline, std::time_t now) {
  const auto text = std::string(trim(deadline));
  if (const auto duration_s = parse_duration_s(text); duration_s && *duration_s > 0) {
    return *duration_s;
  }
  const auto blank = text.find_first_of(" T");
  const bool has_day = blank != std::string::npos && text.find(':') > blank;
  const auto clock = numbers_in(
      has_day ? std::string_view(text).substr(blank + 1) : std::string_view(text), ':', 2);
  if (!clock || clock->at(0) > 23 || clock->at(1) > 59) {
    refuse_deadline(deadline);
  }
  std::tm when{};
  localtime_r(&now, &when);
  const bool is_date = has_day && text.find('-') < blank;
  if (has_day) {
    set_day(text.substr(0, blank), deadline, when);
  }
  when.tm_hour = clock->at(0);
  when.tm_min = clock->at(1);
  when.tm_sec = 0;
  when.tm_isdst = -1;
  auto then = std::mktime(&when);
  if (then <= now && !is_date) {
    when.tm_mday += has_day ? 7 : 1;
    when.tm_isdst = -1;
    then = std::mktime(&when);
  }
  if (then <= now) {
    throw Error(fmt::format("--deadline: '{}' is over", printable(deadline)));
  }
  return static_cast<double>(then - now);
}

}  // namespace epochcast::jobs
