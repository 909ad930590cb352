#include "src/progress/stamp.hpp"

#include <chrono>
#include <cmath>

#include "src/progress/scanner.hpp"
#include "src/progress/words.hpp"

namespace epochcast::progress {
namespace {

constexpr double day_s = 86400;

/// So many digits, as a number.
std::optional<int> digits(Scanner& scanner, std::size_t count) {
  const auto text = scanner.rest().substr(0, count);
  int value = 0;
  for (const char c : text) {
    if (!is_digit(c)) {
      return std::nullopt;
    }
    value = value * 10 + (c - '0');
  }
  return text.size() == count && scanner.skip(text) ? std::optional(value) : std::nullopt;
}

/// "22:01:09", "22:01:09,123": seconds since midnight.
std::optional<double> time_of_day(Scanner& scanner) {
  const auto hour = digits(scanner, 2);
  const bool first = scanner.skip(":");
  const auto minute = digits(scanner, 2);
  const bool second = scanner.skip(":");
  const auto whole_s = digits(scanner, 2);
  if (!hour || !first || !minute || !second || !whole_s || *hour > 23 || *minute > 59 ||
      *whole_s > 60) {
    return std::nullopt;
  }
  double seconds = *hour * 3600 + *minute * 60 + *whole_s;
  const auto rest = scanner.rest();
  if (rest.size() > 1 && (rest[0] == '.' || rest[0] == ',') && is_digit(rest[1])) {
    scanner.skip(rest.substr(0, 1));
    double unit = 0.1;
    while (!scanner.rest().empty() && is_digit(scanner.rest().front())) {
      seconds += unit * (scanner.rest().front() - '0');
      unit /= 10;
      scanner.skip(scanner.rest().substr(0, 1));
    }
  }
  return seconds;
}

/// "Z", "+01:00", "+0100": seconds east of Greenwich; 0 without one.
double offset_s(Scanner& scanner) {
  auto at = scanner;
  const double sign = at.skip("+") ? 1 : at.skip("-") ? -1 : 0;
  if (sign == 0) {
    scanner.skip("Z");
    return 0;
  }
  const auto hours = digits(at, 2);
  at.skip(":");
  const auto minutes = digits(at, 2);
  if (!hours || !minutes) {
    return 0;
  }
  scanner = at;
  return sign * (*hours * 3600 + *minutes * 60);
}

std::optional<double> date_s(Scanner& scanner) {
  auto at = scanner;
  const auto year = digits(at, 4);
  const bool first = at.skip("-") || at.skip("/");
  const auto month = digits(at, 2);
  const bool second = at.skip("-") || at.skip("/");
  const auto day = digits(at, 2);
  if (!year || !first || !month || !second || !day || !(at.skip("T") || at.skip(" "))) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(unsigned(*month)),
                                         std::chrono::day(unsigned(*day))};
  if (!date.ok()) {
    return std::nullopt;
  }
  scanner = at;
  return day_s * static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
}

/// MLPerf's events are stamped inside.
std::optional<double> event_s(std::string_view line) {
  constexpr std::string_view name = "\"time_ms\": ";
  const auto mark = line.find(":::MLLOG");
  const auto at = mark == std::string_view::npos ? mark : line.find(name, mark);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  Scanner scanner(line.substr(at + name.size()));
  const auto time_ms = whole(scanner);
  return time_ms ? std::optional(static_cast<double>(*time_ms) / 1000) : std::nullopt;
}

}  // namespace

Stamp take_stamp(std::string_view line) {
  Scanner scanner(line);
  scanner.skip_blanks();
  const bool bracket = scanner.skip("[");
  Stamp stamp;
  if (const auto date = date_s(scanner)) {
    const auto time = time_of_day(scanner);
    if (!time) {
      return {};
    }
    stamp.seconds = *date + *time - offset_s(scanner);
  } else if (auto at = scanner; const auto time = time_of_day(at)) {
    scanner = at;
    stamp.of_day = true;
    stamp.seconds = *time;
  } else if (bracket) {
    scanner.skip_blanks();
    const auto seconds = scanner.number();
    const bool has_point =
        line.substr(0, line.size() - scanner.rest().size()).find('.') != std::string_view::npos;
    if (!seconds || !has_point || !(*seconds >= 0 && *seconds < 1e9)) {
      return {};
    }
    stamp.seconds = *seconds;
  } else if (const auto event = event_s(line)) {
    return {.size = 0, .of_day = false, .seconds = *event};
  } else {
    return {};
  }
  if (bracket && !scanner.skip("]")) {
    return {};
  }
  if (!scanner.skip(" ") && !scanner.skip("\t") && !scanner.rest().empty()) {
    return {};
  }
  stamp.size = line.size() - scanner.rest().size();
  return stamp;
}

std::optional<double> StampReader::read(const Stamp& stamp) {
  if (stamp.size == 0 && stamp.seconds == 0) {
    return std::nullopt;
  }
  double time_s = stamp.seconds + (stamp.of_day ? days_s_ : 0);
  if (stamp.of_day && time_s < last_s_ - day_s / 2) {
    days_s_ += day_s;
    time_s += day_s;
  }
  first_s_ = first_s_.value_or(time_s);
  last_s_ = time_s;
  return std::max(0.0, time_s - *first_s_);
}

}  // namespace epochcast::progress
