#include "src/measure/progress/lines/stamp_forms.hpp"

#include <algorithm>
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

/// One to three parts of a date, then a clock. A name is that of a month, or its Roman number.
constexpr const char* date_form = R"((?xJ)^(?<all>
  (?: (?<year>\d{4}) (?: [-/.] | [年년][ ]? ) (?<month>\d\d?) (?: [-/.] | [月월][ ]? )
      (?<day>\d\d?) (?!\d) [日일]?
    | (?<year>\d{4}) (?<month>\d\d) (?<day>\d\d) (?!\d)
    | (?<one>\d\d?) (?<between>[-/.]) (?<two>\d\d?) [-/.] (?<year>\d{2,4}) (?!\d)
    | (?<one>\d\d) (?<between>[-/.]) (?<two>\d\d) (?!\d) (?: [.] (?=[ ]) )?
    | (?<day>\d\d?) [-/. ] (?<name>[IVX]{1,4}) [-/. ] (?<year>\d{4}) (?!\d)
    | (?: (?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [a-z]* ,? [ ]* )?
      (?: (?<name>\p{L}{3,}) \.? [-/ ]* (?<day>\d\d?) (?:st|nd|rd|th)? (?!\d) ,?
          (?: [-/. ]+ (?<year>\d{4}) (?![\d:]) )?
        | (?<day>\d\d?) (?: st|nd|rd|th|er|\.[ ]? )? [-/ ]? (?: (?:of|de)[ ] )?
          (?<name>\p{L}{3,}) [.,]?
          (?: [-/. ] (?: (?:of|de)[ ] )? (?: (?<year>\d{4}) (?!\d) | (?<year>\d\d) (?!:|\d|\.\d) ) )? )
    | [IWEF] (?<year>\d{4})? (?<month>\d\d) (?<day>\d\d) (?=[ ]) )
  (?: (?<tight>[T_] | -(?=\d{6}(?!\d)) ) | - | [ ]-[ ] | (?(<year>) [:.] | (?!) ) | ,?[ ]* (?: (?<at>\p{L}{1,3}) \.? [ ]+ )? )
  (?: (?<hour>[01]?\d|2[0-3]) : (?<minute>[0-5]\d)
      (?: : (?<second>[0-5]\d|60) (?!\d) (?: [.,] (?<fraction>\d++) | (?!:\d) ) | (?!:?\d) )
    | (?<hour>[01]\d|2[0-3]) (?<dash>[-.]) (?<minute>[0-5]\d)
      (?: \g{dash} (?<second>[0-5]\d) (?![-.]?\d) | (?(<year>) (?=:?(?:[ ]|$)) | (?!) ) )
    | (?(<year>) (?<hour>[01]?\d|2[0-3]) [ ]?h[ ]? (?<minute>[0-5]\d) (?: [ ]?(?:m|min|:)[ ]? (?<second>[0-5]\d) (?!\d) s? )? (?!\d) | (?!) )
    | (?(<tight>) (?<hour>[01]\d|2[0-3]) (?<minute>[0-5]\d) (?<second>[0-5]\d) (?!\d) | (?!) )
    | (?(<at>) (?<hour>[01]?\d|2[0-3]) [.] (?<minute>[0-5]\d) (?![.]?\d) | (?!) ) )
  (?: [ ]? (?<half>[AP]M|[ap]m) (?![A-Za-z]) )?
  (?: Z | [ ]UTC | [ ]GMT | [ ][A-Z]{3,5} (?= [ ](?:19[7-9]|2[01])\d\d )
    | [ ]? (?<sign>[-+]) (?<zone_h>\d\d) (?: :? (?<zone_min>\d\d) )? (?= $ | [] :\t)|,"] ) )?
  (?(<year>) | (?: [ ] (?<year>(?:19[7-9]|2[01])\d\d) (?![\d/]) )? )
))";

constexpr const char* time_form = R"((?x)^(?<all>
  (?<hour>[01]\d|2[0-3]) (?<dash>[:.]) (?<minute>[0-5]\d) \g{dash} (?<second>[0-5]\d|60) (?!\d)
  (?: [.,] (?<fraction>\d+) )?
  (?: [ ] (?<half>[AP]M|[ap]m) )?
))";

constexpr auto months =
    std::to_array<std::string_view>({"january", "february", "march", "april", "may", "june", "july",
                                     "august", "september", "october", "november", "december"});
/// How their names begin in other languages of Europe.
constexpr auto month_stems = std::to_array<std::string_view>(
    {"gen ene sty янв oca tam", "fév fev lut фев şub hel", "mär mrt мар maa",
     "avr abr kwi апр nis huh", "mai mag maj mei май мая tou", "juin giu cze июн haz kes",
     "juil lug lip июл tem hei", "aoû ago sie авг ağu elo", "set wrz сен eyl syy",
     "okt ott out paź окт eki lok", "lis ноя kas", "déc dez dic des gru дек ara jou"});
constexpr auto roman_months = std::to_array<std::string_view>(
    {"I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"});

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

/// From 1; 0: the word is no month. "gen" may be one in Italian, beside a year.
int month_of(std::string_view name, bool has_year) {
  const auto low = to_lower(name);
  const auto find = [](const auto& all, const auto& is_month) {
    const auto found = std::ranges::find_if(all, is_month);
    return found == all.end() ? 0 : static_cast<int>(found - all.begin()) + 1;
  };
  const auto begins_low = [&](const auto& stem) { return low.starts_with(stem); };
  const auto english = find(months, [&](auto month) {
    return month.starts_with(low) || (has_year && low.starts_with(month.substr(0, 3)));
  });
  if (english > 0 || !has_year) {
    return english > 0 || low != "sept" ? english : 9;
  }
  const auto roman = find(roman_months, [&](auto month) { return month == name; });
  return roman > 0 ? roman : find(month_stems, [&](auto stems) {
    return std::ranges::any_of(split(stems, ' '), begins_low);
  });
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

/// The day, in each order in which it is one.
std::optional<WrittenTime> day_of(const Match& match) {
  const auto year = match["year"] ? whole_in(match, "year") : some_leap_year;
  if (!match["one"]) {
    const auto name = match["name"];
    const auto month = name ? month_of(*name, match["year"].has_value()) : whole_in(match, "month");
    const auto day = day_since_1970_s(year, month, whole_in(match, "day"));
    return day ? std::optional(WrittenTime{.seconds = *day}) : std::nullopt;
  }
  const auto one = whole_in(match, "one");
  const auto two = whole_in(match, "two");
  const bool dots = match["between"] == ".";
  const bool may_begin_with_year = match.text("one").size() == 2 && match.text("year").size() == 2;
  ByOrder days;
  auto& [month_first, day_first, year_first] = days;
  day_first = day_since_1970_s(year, two, one);
  month_first = dots && day_first ? std::nullopt : day_since_1970_s(year, one, two);
  year_first = may_begin_with_year ? day_since_1970_s(one, two, year) : std::nullopt;
  const auto any = std::ranges::find_if(days, [](const auto& day) { return day.has_value(); });
  return any == days.end() ? std::nullopt
                           : std::optional(WrittenTime{.seconds = **any, .in_order = days});
}

}  // namespace

bool may_hold_time(std::string_view text) {
  static const RegularExpression some(
      R"(\d:\d\d|^\d\d\.\d\d\.\d\d|\d{10}|\d\.\d*s?\]|\d\.\ds\t|[ T_-]\d\d[-.]\d\d[-.]\d\d|[T_-]\d{6}|[a-z]\.? \d\d?\.\d\d(?!\d)|\d\d? ?h ?[0-5]\d)");
  return some.find(text).has_value();
}

std::optional<WrittenTime> take_date(std::string_view text) {
  static const RegularExpression form(date_form);
  const auto match = form.find(text);
  auto time = match ? day_of(*match) : std::nullopt;
  const bool coarse = match && !(*match)["second"];
  if (!time || (coarse && (*match)["between"] == "/" && !(*match)["year"])) {
    return std::nullopt;  // "12/30 10:25" may be a counter and a duration
  }
  const double of_day_s = clock_s(*match) - offset_s(*match);
  time->kind = (*match)["year"] ? StampKind::date : StampKind::day_of_year;
  time->coarse = coarse;
  time->seconds += of_day_s;
  for (auto& day_s : time->in_order) {
    day_s = day_s ? std::optional(*day_s + of_day_s) : std::nullopt;
  }
  time->size = match->text("all").size();
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
  static const RegularExpression form(
      R"((?J)^(?:(?<all>\+? *(?<uptime>\d{1,9}\.\d*)s?(?=\]))|(?<all>\+(?<hour>\d{1,4}):(?<minute>[0-5]\d):(?<second>[0-5]\d)(?:\.(?<fraction>\d+))?(?=\]))))");
  const auto match = form.find(text);
  return match ? std::optional(written(
                     *match, StampKind::seconds,
                     parse_double((*match)["uptime"].value_or("0")).value_or(0) + clock_s(*match)))
               : std::nullopt;
}

std::optional<WrittenTime> take_notebook_time(std::string_view text) {
  static const RegularExpression form(R"(^(?<all>(?<uptime>\d{1,9}\.\d)s\t\d{1,7}(?=\t)))");
  const auto match = form.find(text);
  return match ? std::optional(written(*match, StampKind::seconds,
                                       parse_double(match->text("uptime")).value_or(0)))
               : std::nullopt;
}

}  // namespace epochcast::progress
