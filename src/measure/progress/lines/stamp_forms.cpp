#include "src/measure/progress/lines/stamp_forms.hpp"

#include <array>
#include <chrono>
#include <string>

#include "src/base/core/regular_expression.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::progress {
namespace {

using Match = RegularExpression::Match;

constexpr double day_s = 86400;
/// Of dates without a year: they may be the 29th of February.
constexpr int some_leap_year = 2024;

constexpr const char* date_form = R"((?xJ)^(?<all>
  (?: (?<year>\d{4}) [-/.] (?<month>\d\d?) [-/.] (?<day>\d\d?) (?!\d)
    | (?<year>\d{4}) (?<month>\d\d) (?<day>\d\d) (?!\d)
    | (?<one>\d\d?) (?<between>[-/.]) (?<two>\d\d?) [-/.] (?<year>\d{2,4}) (?!\d)
    | (?<one>\d\d) (?<between>[-/.]) (?<two>\d\d) (?!\d) (?: [.] (?=[ ]) )?
    | (?: (?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ,? [ ]* )?
      (?: (?<name>[A-Za-z]{3}) [A-Za-z]* \.? [ ]* (?<day>\d\d?) (?!\d) ,?
          (?: [-/. ] (?<year>\d{4}) (?![\d:]) )?
        | (?<day>\d\d?) [-/. ]? (?<name>[A-Za-z]{3}) [A-Za-z]* ,?
          (?: [-/. ] (?<year>\d{2,4}) (?![\d:]) )? )
    | [IWEF] (?<month>\d\d) (?<day>\d\d) (?=[ ]) )
  (?: T | _ | - | ,[ ] | : | [ ]* )
  (?<hour>[01]?\d|2[0-3]) : (?<minute>[0-5]\d) : (?<second>[0-5]\d|60) (?!\d)
  (?: [.,] (?<fraction>\d+) )?
  (?: [ ] (?<half>[AP]M|[ap]m) )?
  (?: Z | [ ]UTC | [ ]GMT
    | [ ]? (?<sign>[-+]) (?<zone_h>\d\d) (?: :? (?<zone_min>\d\d) )? (?= $ | [] :\t)|,] ) )?
  (?(<year>) | (?: [ ] (?:19[7-9]|2[01]) \d\d (?![\d/]) )? )
))";

constexpr const char* time_form = R"((?x)^(?<all>
  (?<hour>[01]\d|2[0-3]) : (?<minute>[0-5]\d) : (?<second>[0-5]\d|60) (?!\d)
  (?: [.,] (?<fraction>\d+) )?
  (?: [ ] (?<half>[AP]M|[ap]m) )?
))";

int whole_in(const Match& match, std::string_view name) {
  return static_cast<int>(parse_integer(match[name].value_or("0")).value_or(0));
}

WrittenTime written(const Match& match, StampKind kind, double seconds) {
  return {.kind = kind, .seconds = seconds, .size = match.text("all").size()};
}

double fraction_s(const Match& match) {
  return parse_double("0." + std::string(match["fraction"].value_or("0"))).value_or(0);
}

/// Since midnight.
double clock_s(const Match& match) {
  const auto hour = whole_in(match, "hour");
  const auto half = match["half"].value_or(" ").front();
  const bool after_noon = (half == 'P' || half == 'p') && hour < 12;
  const bool midnight = (half == 'A' || half == 'a') && hour == 12;
  return (hour + (after_noon ? 12
                  : midnight ? -12
                             : 0)) *
             3600 +
         whole_in(match, "minute") * 60 + whole_in(match, "second") + fraction_s(match);
}

/// East of Greenwich.
double offset_s(const Match& match) {
  const double offset_s = whole_in(match, "zone_h") * 3600 + whole_in(match, "zone_min") * 60;
  return match["sign"] == "-" ? -offset_s : offset_s;
}

/// From 1; 0: the word is no month.
int month_of(std::string_view name) {
  constexpr std::string_view names = "jan feb mar apr may jun jul aug sep oct nov dec";
  const auto at = names.find(to_lower(name));
  return at == std::string_view::npos ? 0 : static_cast<int>(at / 4) + 1;
}

std::optional<double> day_since_1970_s(int year, int month, int day) {
  year += year < 70 ? 2000 : year < 100 ? 1900 : 0;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(unsigned(month)),
                                         std::chrono::day(unsigned(day))};
  return date.ok() && year >= 1970 && year < 2200
             ? std::optional(day_s * static_cast<double>(
                                         std::chrono::sys_days(date).time_since_epoch().count()))
             : std::nullopt;
}

/// The day, in one or two orders of day and month.
std::optional<WrittenTime> day_of(const Match& match) {
  const auto year = match["year"] ? whole_in(match, "year") : some_leap_year;
  if (!match["one"]) {
    const auto name = match["name"];
    const auto day = day_since_1970_s(year, name ? month_of(*name) : whole_in(match, "month"),
                                      whole_in(match, "day"));
    return day ? std::optional(WrittenTime{.seconds = *day}) : std::nullopt;
  }
  const auto one = whole_in(match, "one");
  const auto two = whole_in(match, "two");
  const auto day_first = day_since_1970_s(year, two, one);
  const auto month_first =
      match["between"] == "." && day_first ? std::nullopt : day_since_1970_s(year, one, two);
  if (!day_first && !month_first) {
    return std::nullopt;
  }
  WrittenTime time{.seconds = month_first ? *month_first : *day_first};
  if (day_first && month_first) {
    time.day_first_s = day_first;
  } else if (match["between"] != ".") {
    time.order = day_first ? DateOrder::day_first : DateOrder::month_first;
  }
  return time;
}

}  // namespace

bool may_hold_time(std::string_view text) {
  static const RegularExpression some(R"(\d:\d\d:\d\d|\d{10}|\d\.\d*\])");
  return some.find(text).has_value();
}

std::optional<WrittenTime> take_date(std::string_view text) {
  static const RegularExpression form(date_form);
  const auto match = form.find(text);
  auto time = match ? day_of(*match) : std::nullopt;
  if (time) {
    const double of_day_s = clock_s(*match) - offset_s(*match);
    time->kind = (*match)["year"] ? StampKind::date : StampKind::day_of_year;
    time->seconds += of_day_s;
    time->day_first_s =
        time->day_first_s ? std::optional(*time->day_first_s + of_day_s) : std::nullopt;
    time->size = match->text("all").size();
  }
  return time;
}

std::optional<WrittenTime> take_unix_time(std::string_view text) {
  static const RegularExpression form(
      R"(^(?<all>(?<ms>[1-3]\d{12})(?!\d)|(?<s>[1-3]\d{9})(?!\d)(?:[.,](?<fraction>\d+))?))");
  const auto match = form.find(text);
  if (!match) {
    return std::nullopt;
  }
  const auto ms = parse_double((*match)["ms"].value_or("0")).value_or(0);
  const auto s = parse_double((*match)["s"].value_or("0")).value_or(0);
  return written(*match, StampKind::seconds, ms / 1000 + s + fraction_s(*match));
}

std::optional<WrittenTime> take_time_of_day(std::string_view text) {
  static const RegularExpression form(time_form);
  const auto match = form.find(text);
  return match ? std::optional(written(*match, StampKind::time_of_day, clock_s(*match)))
               : std::nullopt;
}

std::optional<WrittenTime> take_uptime(std::string_view text) {
  static const RegularExpression form(R"(^(?<all> *(?<uptime>\d{1,9}\.\d*)(?=\])))");
  const auto match = form.find(text);
  return match ? std::optional(written(*match, StampKind::seconds,
                                       parse_double(match->text("uptime")).value_or(0)))
               : std::nullopt;
}

}  // namespace epochcast::progress
