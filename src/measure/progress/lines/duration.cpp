#include "src/measure/progress/lines/duration.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "src/base/core/regular_expression.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/progress/lines/words.hpp"

namespace epochcast::progress {
namespace {

/// What a rate, a word or a date goes on with: "12s/it", "2026-11-24".
const std::string not_more = R"((?![A-Za-z_]|/(?!epoch)|-\d)(?<rest>.*))";
/// "3.5", "1e3"; "1 612.4" too, where a unit of time follows.
const std::string any_value = R"((?<value>(?:\d++\.?+\d*+|\.\d++)(?:[eE][-+]?\d++)?+))";
const std::string spaced_value = R"((?<spaced>[1-9]\d{0,2}(?: \d{3})++(?:\.\d++)?+))";
const std::string part_separator = R"(^,? *(?:and +)?)";

/// The seconds of a unit; single letters count in lower case only: "900M" is memory.
double unit_s(const std::string& low) {
  for (const auto& [begin, seconds] : {std::pair{"mil", 1e-3},
                                       {"ms", 1e-3},
                                       {"mic", 1e-6},
                                       {"us", 1e-6},
                                       {"\xc2\xb5", 1e-6},
                                       {"ns", 1e-9},
                                       {"d", 86400.0},
                                       {"h", 3600.0},
                                       {"st", 3600.0},
                                       {"m", 60.0},
                                       {"час", 3600.0},
                                       {"小时", 3600.0},
                                       {"мин", 60.0},
                                       {"分", 60.0},
                                       {"분", 60.0}}) {
    if (low.starts_with(begin)) {
      return seconds;
    }
  }
  return 1;
}

/// A part of a duration, what is left of the text after it, and its unit.
struct TimePart {
  double seconds = 0;
  double unit_s = 0;
  std::string_view rest;
};

/// "12:03", "1:12:03.5", "1:12,4"; "1:02 h" has hours and minutes, "1-02:03:04" days.
std::optional<TimePart> clock_at_front(std::string_view text) {
  static const RegularExpression form(
      part_separator +
      R"((?:(?:(?<days>\d{1,3})-(?=\d\d:\d\d:))?(?<hours>\d{1,15}):(?=[0-5]?\d:))?)" +
      R"((?<minutes>\d{1,15}):(?<seconds>[0-5]?\d(?![\d:])(?:\.\d++|,\d{1,6}+(?![.,:]\d))?+))" +
      R"((?: ?(?:(?<of_hours>h|hrs?|hours?)|m|mins?|minutes?|s|secs?|seconds?)(?![A-Za-z_/]))?+)" +
      not_more);
  const auto match = form.find(text);
  if (!match) {
    return std::nullopt;
  }
  const auto value = [&](const char* name) {
    std::string digits((*match)[name].value_or("0"));
    std::ranges::replace(digits, ',', '.');
    return parse_double(digits).value_or(0);
  };
  const bool short_form = (*match)["of_hours"] && !(*match)["hours"];
  const double last_s = value("minutes") * 60 + value("seconds");
  return TimePart{
      .seconds = value("days") * 86400 + value("hours") * 3600 + last_s * (short_form ? 60 : 1),
      .unit_s = 0,
      .rest = match->text("rest")};
}

/// "3.5 min", in a unit below `before_s`.
std::optional<TimePart> part_at_front(std::string_view text, double before_s) {
  static const RegularExpression form(
      part_separator + "(?:" + spaced_value + "|" + any_value + ")" +
      R"( *(?<unit>(?i:days?|hours?|hrs?|minutes?|mins?|seconds?|secs?|milliseconds|msec|ms)"
      R"(|microseconds|us|\x{b5}s|ns|sek|sekund\p{L}*|segundos?|secondes?|secondi|minut\p{L}*|horas?)"
      R"(|heures?|std|stunden?|сек\p{L}*|с|мин\p{L}*|час\p{L}*|秒|分钟?|小时|초|분)|[dhms])(?:\.(?= \d| ?$|[ ]?[]);,|]))?)" +
      not_more);
  const auto match = form.find(text);
  std::string digits(match ? match->text("value") : "");
  if (match && digits.empty()) {
    digits = match->text("spaced");
    std::erase(digits, ' ');
  }
  const auto value = parse_double(digits);
  const double in_s = match ? unit_s(to_lower(match->text("unit"))) : 0;
  return value && in_s < before_s
             ? std::optional(TimePart{*value * in_s, in_s, match->text("rest")})
             : std::nullopt;
}

/// "02" of "1h02": of the next unit, which nothing names.
std::optional<TimePart> digits_at_front(std::string_view text, double before_s) {
  static const RegularExpression form(R"(^(?<value>[0-5]\d)(?![\d.:]))" + not_more);
  const auto match = before_s == 3600 || before_s == 60 ? form.find(text) : std::nullopt;
  const auto value = match ? parse_double(match->text("value")) : std::nullopt;
  return value ? std::optional(TimePart{*value * before_s / 60, 0, match->text("rest")})
               : std::nullopt;
}

std::optional<TimePart> number_at_front(std::string_view text) {
  static const RegularExpression form("^" + any_value + not_more);
  const auto match = form.find(text);
  const auto value = match ? parse_double(match->text("value")) : std::nullopt;
  return value ? std::optional(TimePart{*value, 1, match->text("rest")}) : std::nullopt;
}

}  // namespace

const std::string foreign_time_words =
    "(?!rest|lade|warte|gesamt)\\p{L}{0,12}(?:dauer|zeit)|durata|tempo|durée|temps|duración|"
    "duracion|duração|tiempo|tid|tijd|czas"
    "|süre|время";
const std::string foreign_time_endings = "耗时|用时|时间|時間|시간";

std::optional<Duration> take_duration(std::string_view& text) {
  constexpr double day_s = 86400;
  if (text.empty() || !(is_digit(text.front()) || text.front() == '.')) {
    return std::nullopt;
  }
  auto part = clock_at_front(text);
  part = part ? part : part_at_front(text, 2 * day_s);
  const bool has_unit = part.has_value();
  part = part ? part : number_at_front(text);
  if (!part) {
    return std::nullopt;
  }
  Duration found{.seconds = 0, .has_unit = has_unit};
  auto rest = text;
  while (part) {
    found.seconds += part->seconds;
    rest = part->rest;
    const double unit_s = has_unit ? part->unit_s : 0;
    part = unit_s >= day_s ? clock_at_front(rest) : std::nullopt;
    part = part ? part : part_at_front(rest, unit_s);
    part = part ? part : digits_at_front(rest, unit_s);
  }
  if (!rest.empty() && is_digit(rest.front())) {  // "1h2"
    return std::nullopt;
  }
  text = rest;
  return found;
}

std::optional<double> clock_time_s(std::string_view text) {
  const bool clock = text.find(':') != std::string_view::npos;
  text = trim(text);
  const auto found = clock ? take_duration(text) : std::nullopt;
  return found && trim(text).empty() ? std::optional(found->seconds) : std::nullopt;
}

TimeName time_name(std::string_view name) {
  static const RegularExpression of_else(
      R"((?i)(?<![a-z])eta(?:[ _](?:s|secs?|seconds?))?$|remain|time left)");
  static const RegularExpression time(
      R"((?i)(?<![a-z])(?:time|took|lasted|elapsed|duration|seconds|secs|sec|time_s|times|walltime|runtime)"
      R"(|elapse|takes|dur|cost time|time used|minutes|hours|mins|sec/epoch|epoch_time|training_time)"
      R"(|time spent|elapsed_time|s/epoch)$|time taken|time elapsed|time per|time/|time for)"
      R"(|time cost|time_cost)");
  static const RegularExpression of_step(R"((?i)batch|iter|step|it_time)");
  static const RegularExpression of_part(
      R"((?i)data|total|load|forward|backward|eval|val|test|infer|since|start|best|sampl|comm)"
      R"(|read|sync)");
  if (of_else.find(name)) {
    return TimeName::of_else;
  }
  if (!time.find(name)) {
    return TimeName::none;
  }
  return of_step.find(name)   ? TimeName::step
         : of_part.find(name) ? TimeName::of_else
                              : TimeName::epoch;
}

NameAndUnit without_unit(std::string_view name) {
  static const RegularExpression form(
      R"((?iJ)^(?:(?<name>.*?[a-z])[ _-])?(?<unit>mins?|minutes|ms|msec|hours|hrs)$)"
      R"(|^(?<name>.*?[a-z])(?: *[(\[](?<in>s|sec|seconds|ms|min|h)[)\]]|_(?<seconds>s|secs?|seconds))$)");
  static const RegularExpression phase("^(?:train|trn?|val|valid|va|test|eval|dev|epoch)$");
  const auto match = form.find(name);
  if (!match) {
    return {.name = name};
  }
  const auto in = (*match)["in"];
  const auto unit = to_lower(in.value_or((*match)["unit"].value_or("s")));
  const auto kept = match->text("name");
  return {.name = kept.empty() ? name : kept,
          .unit_s = unit_s(unit),
          .is_time = in || (*match)["seconds"] || name.ends_with("_ms") ||
                     (name.ends_with("_min") && phase.find(kept))};  // else a minimum
}

}  // namespace epochcast::progress
