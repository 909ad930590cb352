#include "src/measure/progress/stamp.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "src/base/core/text.hpp"
#include "src/measure/progress/scanner.hpp"
#include "src/measure/progress/words.hpp"

namespace epochcast::progress {
namespace {

constexpr double day_s = 86400;
constexpr double leap_year_s = 366 * day_s;
constexpr int some_leap_year =
    2024;  ///< Of dates without a year: they may be the 29th of February.
constexpr std::size_t longest_lead = 64;

/// `least` to `most` digits, as a number.
std::optional<int> digits(Scanner& scanner, std::size_t least, std::size_t most) {
  const auto rest = scanner.rest();
  std::size_t size = 0;
  int value = 0;
  while (size < rest.size() && is_digit(rest[size])) {
    if (size == most) {
      return std::nullopt;
    }
    value = value * 10 + (rest[size++] - '0');
  }
  return size >= least && scanner.skip(rest.substr(0, size)) ? std::optional(value) : std::nullopt;
}

/// ".123" or ",123" after a whole second.
double fraction_s(Scanner& scanner) {
  const auto rest = scanner.rest();
  if (rest.size() < 2 || (rest[0] != '.' && rest[0] != ',') || !is_digit(rest[1])) {
    return 0;
  }
  std::size_t size = 1;
  double seconds = 0;
  for (double unit = 0.1; size < rest.size() && is_digit(rest[size]); unit /= 10) {
    seconds += unit * (rest[size++] - '0');
  }
  scanner.skip(rest.substr(0, size));
  return seconds;
}

/// "22:01:09,123", "10:01:09 PM": seconds since midnight.
std::optional<double> time_of_day(Scanner& scanner, std::size_t hour_digits = 2) {
  const auto hour = digits(scanner, hour_digits, 2);
  const bool first = scanner.skip(":");
  const auto minute = digits(scanner, 2, 2);
  const bool second = scanner.skip(":");
  const auto whole_s = digits(scanner, 2, 2);
  if (!hour || !first || !minute || !second || !whole_s || *hour > 23 || *minute > 59 ||
      *whole_s > 60) {
    return std::nullopt;
  }
  double seconds = *hour * 3600 + *minute * 60 + *whole_s + fraction_s(scanner);
  if (scanner.skip(" PM") || scanner.skip(" pm")) {
    seconds += *hour < 12 ? day_s / 2 : 0;
  } else if (scanner.skip(" AM") || scanner.skip(" am")) {
    seconds -= *hour == 12 ? day_s / 2 : 0;
  }
  return seconds;
}

/// "Z", " UTC", "+01:00", " +0100": seconds east of Greenwich; 0 without one.
double offset_s(Scanner& scanner) {
  auto at = scanner;
  at.skip(" ");
  const double sign = at.skip("+") ? 1 : at.skip("-") ? -1 : 0;
  if (sign == 0) {
    if (!scanner.skip("Z") && !scanner.skip(" UTC")) {
      scanner.skip(" GMT");
    }
    return 0;
  }
  const auto hours = digits(at, 2, 4);
  const auto minutes = at.skip(":") ? digits(at, 2, 2) : std::optional(0);
  if (!hours || !minutes ||
      (!at.rest().empty() && at.rest().front() != ' ' &&
       std::string_view("]:\t)|,").find(at.rest().front()) == std::string_view::npos)) {
    return 0;
  }
  scanner = at;
  return sign *
         (*hours > 99 ? *hours / 100 * 3600 + *hours % 100 * 60 : *hours * 3600 + *minutes * 60);
}

std::optional<double> seconds_of(int year, int month, int day) {
  year += year < 70 ? 2000 : year < 100 ? 1900 : 0;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(unsigned(month)),
                                         std::chrono::day(unsigned(day))};
  return date.ok() && year >= 1970 && year < 2200
             ? std::optional(day_s * static_cast<double>(
                                         std::chrono::sys_days(date).time_since_epoch().count()))
             : std::nullopt;
}

/// "Feb", "February": its number from 1.
std::optional<int> month_name(Scanner& scanner) {
  constexpr std::array<std::string_view, 12> names{"jan", "feb", "mar", "apr", "may", "jun",
                                                   "jul", "aug", "sep", "oct", "nov", "dec"};
  const auto rest = scanner.rest();
  std::size_t size = 0;
  while (size < rest.size() && is_letter(rest[size])) {
    ++size;
  }
  if (size < 3) {
    return std::nullopt;
  }
  const auto word = to_lower(rest.substr(0, 3));
  const auto* const found = std::ranges::find(names, word);
  if (found == names.end()) {
    return std::nullopt;
  }
  scanner.skip(rest.substr(0, size));
  return int(found - names.begin()) + 1;
}

bool separator(Scanner& scanner) {
  return scanner.skip("-") || scanner.skip("/") || scanner.skip(".");
}

struct Date {
  double seconds = 0;
  bool has_year = true;
};

/// "2026-11-24", "2026/11/24", "20261124".
std::optional<Date> year_first(Scanner& scanner) {
  auto at = scanner;
  if (const auto all = digits(at, 8, 8)) {
    const auto seconds = seconds_of(*all / 10000, *all / 100 % 100, *all % 100);
    if (seconds) {
      scanner = at;
    }
    return seconds ? std::optional(Date{*seconds}) : std::nullopt;
  }
  at = scanner;
  const auto year = digits(at, 4, 4);
  const bool first = separator(at);
  const auto month = digits(at, 1, 2);
  const bool second = separator(at);
  const auto day = digits(at, 1, 2);
  const auto seconds =
      year && first && month && second && day ? seconds_of(*year, *month, *day) : std::nullopt;
  if (!seconds) {
    return std::nullopt;
  }
  scanner = at;
  return Date{*seconds};
}

/// "11/24/2026", "24.11.2026", "11/24/26", "11/24": the month is first where both may be.
std::optional<Date> year_last(Scanner& scanner) {
  auto at = scanner;
  const auto one = digits(at, 2, 2);
  const bool first = separator(at);
  const auto two = digits(at, 2, 2);
  if (!one || !first || !two) {
    return std::nullopt;
  }
  auto after = at;
  const auto year = separator(after) ? digits(after, 2, 4) : std::nullopt;
  at = year ? after : at;
  const auto month = *one > 12 ? *two : *one;
  const auto day = *one > 12 ? *one : *two;
  const auto seconds = seconds_of(year.value_or(some_leap_year), month, day);
  if (!seconds) {
    return std::nullopt;
  }
  scanner = at;
  return Date{*seconds, year.has_value()};
}

/// "Tue Nov 24", "Nov 24, 2026", "24 Nov 2026", "24-Nov-26"; a year may stand after the time.
std::optional<Date> named_month(Scanner& scanner) {
  auto at = scanner;
  for (const std::string_view name : {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}) {
    if (at.skip(name)) {
      at.skip(",");
      at.skip_blanks();
      break;
    }
  }
  auto month = month_name(at);
  const bool month_first = month.has_value();
  if (month_first) {
    at.skip(".");
    at.skip_blanks();
  }
  const auto day = digits(at, 1, 2);
  if (!month_first && day) {
    if (!separator(at)) {
      at.skip(" ");
    }
    month = month_name(at);
  }
  if (!month || !day) {
    return std::nullopt;
  }
  at.skip(",");
  auto after = at;
  const auto year =
      separator(after) || after.skip(" ") ? digits(after, month_first ? 4 : 2, 4) : std::nullopt;
  if (year && !after.rest().starts_with(":")) {
    at = after;
  }
  const bool has_year = year && at.rest() == after.rest();
  const auto seconds = seconds_of(has_year ? *year : some_leap_year, *month, *day);
  if (!seconds) {
    return std::nullopt;
  }
  scanner = at;
  return Date{*seconds, has_year};
}

/// glog's and absl's "I1124 22:01:09.5": level, month, day.
std::optional<Date> glog_date(Scanner& scanner) {
  auto at = scanner;
  if (!at.skip("I") && !at.skip("W") && !at.skip("E") && !at.skip("F")) {
    return std::nullopt;
  }
  const auto all = digits(at, 4, 4);
  const auto seconds = all && at.rest().starts_with(" ")
                           ? seconds_of(some_leap_year, *all / 100, *all % 100)
                           : std::nullopt;
  if (!seconds) {
    return std::nullopt;
  }
  scanner = at;
  return Date{*seconds, false};
}

std::optional<Stamp> dated(Scanner& scanner) {
  for (const auto date_of : {year_first, year_last, named_month, glog_date}) {
    auto at = scanner;
    const auto date = date_of(at);
    if (!date) {
      continue;
    }
    if (!at.skip("T") && !at.skip("_") && !at.skip("-") && !at.skip(", ") && !at.skip(":")) {
      at.skip_blanks();
    }
    const auto time = time_of_day(at, 1);
    if (!time) {
      continue;
    }
    Stamp stamp{.kind = date->has_year ? StampKind::date : StampKind::day_of_year,
                .size = 0,
                .seconds = date->seconds + *time};
    stamp.seconds -= offset_s(at);
    auto after = at;
    if (!date->has_year && after.skip(" ")) {  // "Tue Nov 24 22:01:09 2026"
      const auto year = digits(after, 4, 4);
      if (year && *year >= 1970 && *year < 2200 && !after.rest().starts_with("/")) {
        at = after;
      }
    }
    scanner = at;
    return stamp;
  }
  return std::nullopt;
}

/// "1795557669.5", "1795557669512": seconds or milliseconds since 1970.
std::optional<Stamp> unix_time(Scanner& scanner) {
  auto at = scanner;
  const auto value = whole(at);
  if (!value) {
    return std::nullopt;
  }
  constexpr std::int64_t first_s = 1'000'000'000;
  constexpr std::int64_t last_s = 4'000'000'000;
  const bool in_ms = *value > first_s * 1000 && *value < last_s * 1000;
  if (!in_ms && !(*value > first_s && *value < last_s)) {
    return std::nullopt;
  }
  const double seconds =
      in_ms ? static_cast<double>(*value) / 1000 : static_cast<double>(*value) + fraction_s(at);
  scanner = at;
  return Stamp{.kind = StampKind::seconds, .size = 0, .seconds = seconds};
}

/// "[   12.345678]": seconds since a start.
std::optional<Stamp> uptime(Scanner& scanner) {
  auto at = scanner;
  at.skip_blanks();
  const auto before = at.rest();
  const auto seconds = at.number();
  const auto text = before.substr(0, before.size() - at.rest().size());
  if (!seconds || !at.rest().starts_with("]") || text.find('.') == std::string_view::npos ||
      !(*seconds >= 0 && *seconds < 1e9)) {
    return std::nullopt;
  }
  scanner = at;
  return Stamp{.kind = StampKind::seconds, .size = 0, .seconds = *seconds};
}

/// "__main__ -   Epoch 1" and "__main__:main:33 - Epoch 1" have the name of a logger before the
/// message, "train.py:33 Epoch 1" a place.
std::string_view without_logger(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]) || text[end] == '_' ||
                               text[end] == '.' || text[end] == ':')) {
    ++end;
  }
  const auto name = text.substr(0, end);
  if (const auto line = name.find(".py:"); line != std::string_view::npos &&
                                           text.substr(end).starts_with(" ") &&
                                           parse_double(name.substr(line + 4))) {
    return without_logger(text.substr(end + 1));
  }
  return end > 0 && text.substr(end).starts_with(" - ")
             ? text.substr(std::min(text.find_first_not_of(' ', end + 2), text.size()))
             : text;
}

/// What a stamp may be followed by.
bool ends_well(std::string_view rest) {
  return rest.empty() ||
         std::string_view(" \t:][|)-,;").find(rest.front()) != std::string_view::npos;
}

constexpr std::array<std::string_view, 12> levels{"INFO",  "WARNING",  "WARN",  "DEBUG",
                                                  "ERROR", "CRITICAL", "TRACE", "NOTICE",
                                                  "FATAL", "info",     "Info",  "DLL"};

bool is_level(std::string_view word) {
  return std::ranges::find(levels, word) != levels.end();
}

/// The message after the stamp: without the level, the logger's name before it, and separators.
std::string_view message_of(std::string_view rest) {
  const auto skip_separators = [](std::string_view text, std::string_view separators) {
    auto begin = std::min({text.find_first_not_of(separators), text.find(":::"), text.size()});
    if (text.substr(begin).starts_with("- ")) {
      begin = std::min(text.find_first_not_of(' ', begin + 1), text.size());
    }
    return text.substr(begin);
  };
  constexpr std::string_view behind_stamp = " \t:]),;>";  // "| epoch" is a message
  const auto message = skip_separators(rest, behind_stamp);
  for (std::size_t at = 0; at < std::min(rest.size(), longest_lead); ++at) {
    if (is_digit(rest[at]) && at > 0 &&
        std::string_view(" [(:").find(rest[at - 1]) != std::string_view::npos) {
      // glog's thread and place: "12345 train.py:27] "
      const auto end = rest.find("] ");
      const bool place = rest.front() == ' ' && end < longest_lead && rest.find(".") < end &&
                         rest.substr(0, end).find('[') == std::string_view::npos;
      return place ? rest.substr(end + 2) : message;
    }
    if (!is_letter(rest[at]) || (at > 0 && (is_letter(rest[at - 1]) || rest[at - 1] == '_'))) {
      continue;
    }
    auto end = at;
    while (end < rest.size() && is_letter(rest[end])) {
      ++end;
    }
    if (is_level(rest.substr(at, end - at)) && ends_well(rest.substr(end))) {
      const bool by_bars = rest.substr(0, at).find('|') != std::string_view::npos;
      auto text = skip_separators(rest.substr(end), behind_stamp);
      if (by_bars && text.starts_with('|')) {  // "| INFO | | epoch": the second is the message's
        text = skip_separators(text.substr(1), behind_stamp);
      }
      return without_logger(text);
    }
    const auto word = to_lower(rest.substr(at, end - at));
    if (word == "epoch" || word == "step" || word == "iter" || word == "train" || word == "val") {
      break;
    }
  }
  return message;
}

/// MLPerf's events are stamped inside.
std::optional<Stamp> event_stamp(std::string_view line) {
  constexpr std::string_view name = "\"time_ms\":";
  const auto mark = line.find(":::MLLOG");
  const auto at = mark == std::string_view::npos ? mark : line.find(name, mark);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  Scanner scanner(line.substr(at + name.size()));
  scanner.skip_blanks();
  const auto time_ms = whole(scanner);
  return time_ms ? std::optional(Stamp{.kind = StampKind::event,
                                       .size = 0,
                                       .seconds = static_cast<double>(*time_ms) / 1000})
                 : std::nullopt;
}

/// Whether the label is a rank with its mark: "[rank1]:", "0:".
bool is_rank_label(std::string_view label) {
  return is_rank(label) && label.find_first_of("]:") != std::string_view::npos;
}

/// Whether the label is one that a time of the day alone may come after: none, a level, a rank.
bool precedes_time_of_day(std::string_view text) {
  if (text.empty() || is_rank_label(text)) {
    return true;
  }
  const auto begin = text.find_first_not_of(" [(|");
  const auto end = text.find_last_not_of(" ])|:-");
  return begin != std::string_view::npos && end != std::string_view::npos && end >= begin &&
         is_level(text.substr(begin, end + 1 - begin));
}

/// A stamp that begins at `at` of the line, which may be after a label.
std::optional<Stamp> stamp_at(std::string_view line, std::size_t at, std::string_view label) {
  const bool beginning = label.empty() || is_rank_label(label);
  Scanner scanner(line.substr(at));
  const bool bracket = scanner.skip("[") || scanner.skip("(");
  auto stamp = dated(scanner);
  if (!stamp && beginning) {
    stamp = unix_time(scanner);
  }
  if (!stamp && precedes_time_of_day(label)) {
    auto after = scanner;
    if (const auto time = time_of_day(after)) {
      scanner = after;
      stamp = Stamp{.kind = StampKind::time_of_day, .size = 0, .seconds = *time};
    }
  }
  if (!stamp && bracket && beginning) {
    stamp = uptime(scanner);
  }
  if (!stamp || !ends_well(scanner.rest())) {
    return std::nullopt;
  }
  auto rest = scanner.rest();
  if (bracket) {  // "[11/24 22:01:09 lib.events]: "
    const auto close = rest.find_first_of("])");
    if (close == std::string_view::npos || close > longest_lead) {
      return std::nullopt;
    }
    const auto inside = rest.substr(0, close);
    rest =
        inside.find_first_of("0123456789<") == std::string_view::npos ? rest.substr(close) : rest;
    if (inside.starts_with("<") || inside.find("it/s") != std::string_view::npos ||
        inside.find("s/it") != std::string_view::npos) {
      return std::nullopt;  // the times of a bar
    }
  }
  if (stamp->kind == StampKind::time_of_day && rest.starts_with("-") && !rest.starts_with("- ")) {
    return std::nullopt;
  }
  const auto message = message_of(rest);
  stamp->size = line.size() - message.size();
  return stamp;
}

/// Whether a text before a stamp is a label: a level, a host, a rank.
bool is_label(std::string_view text) {
  if (text.find_first_of("%=\"{}<>#*") != std::string_view::npos &&
      text.find("<std") == std::string_view::npos) {
    return false;
  }
  const auto low = to_lower(text);
  return std::ranges::none_of(
      std::initializer_list<std::string_view>{"epoch", "step", "iter", "eta", "time", "elapsed",
                                              "remain", "took", "durat", "left", "loss", "batch",
                                              "since", "date", "until", "at ", "finish", "total"},
      [&](auto word) { return low.find(word) != std::string::npos; });
}

}  // namespace

Stamp take_stamp(std::string_view line) {
  const auto begin = std::min(line.find_first_not_of(" \t|"), line.size());
  if (const auto stamp = stamp_at(line, begin, {})) {
    return *stamp;
  }
  for (auto at = begin + 1; at < std::min(line.size(), longest_lead); ++at) {
    const bool starts = (is_digit(line[at]) || line[at] == '[' || is_letter(line[at])) &&
                        std::string_view(" \t[:]|-(>").find(line[at - 1]) != std::string_view::npos;
    if (!starts) {
      continue;
    }
    const auto label = line.substr(begin, at - begin);
    if (!is_label(label)) {
      break;
    }
    if (const auto stamp = stamp_at(line, at, label)) {
      return *stamp;
    }
  }
  return event_stamp(line).value_or(Stamp{});
}

bool looks_stamped(std::string_view line) {
  const auto lead = line.substr(0, longest_lead);
  for (std::size_t at = 1; at + 2 < lead.size(); ++at) {
    const bool minutes = is_digit(lead[at - 1]) && (lead[at] == ':' || lead[at] == 'h') &&
                         is_digit(lead[at + 1]) && is_digit(lead[at + 2]);
    auto begin = at - 1;
    while (begin > 0 && is_digit(lead[begin - 1])) {
      --begin;
    }
    const auto before = lead.substr(0, begin);
    const bool named =
        before.ends_with(": ") || (begin > 0 && (is_letter(before.back()) || before.back() == ':'));
    if (minutes && !named) {  // not "eta: 4:43:31", "loss1:232"
      return true;
    }
  }
  return false;
}

std::optional<double> StampReader::read(const Stamp& stamp) {
  if (stamp.kind == StampKind::none) {
    return std::nullopt;
  }
  const auto [found, first] = clocks_.try_emplace(stamp.kind);
  auto& clock = found->second;
  if (first) {
    clock = {.origin_s = stamp.seconds - now_s_, .last_s = stamp.seconds, .rounds_s = 0};
  }
  const double round_s = stamp.kind == StampKind::time_of_day   ? day_s
                         : stamp.kind == StampKind::day_of_year ? leap_year_s
                                                                : 0;
  double time_s = stamp.seconds + clock.rounds_s;
  if (round_s > 0 && time_s < clock.last_s - round_s / 2) {
    clock.rounds_s += round_s;
    time_s += round_s;
  }
  clock.last_s = time_s;
  now_s_ = std::max(0.0, time_s - clock.origin_s);
  return now_s_;
}

}  // namespace epochcast::progress
