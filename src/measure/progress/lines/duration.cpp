#include "src/measure/progress/lines/duration.hpp"

#include <string>
#include <utility>

#include "src/base/core/regular_expression.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/progress/lines/words.hpp"

namespace epochcast::progress {
namespace {

/// What a rate, a word or a date goes on with: "12s/it", "2026-11-24".
const std::string not_more = R"((?![A-Za-z_/]|-\d)(?<rest>.*))";
const std::string any_value = R"((?<value>(?:\d++\.?+\d*+|\.\d++)(?:[eE][-+]?\d++)?+))";
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
                                       {"m", 60.0}}) {
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

/// "12:03", "1:12:03.5".
std::optional<TimePart> clock_at_front(std::string_view text) {
  static const RegularExpression form(
      part_separator + R"((?:(?<hours>\d{1,15}):(?=[0-5]?\d:))?(?<minutes>\d{1,15}):)" +
      R"((?<seconds>[0-5]?\d(?![\d:])(?:\.\d++)?+))" + not_more);
  const auto match = form.find(text);
  if (!match) {
    return std::nullopt;
  }
  const auto value = [&](const char* name) {
    return parse_double((*match)[name].value_or("0")).value_or(0);
  };
  return TimePart{.seconds = value("hours") * 3600 + value("minutes") * 60 + value("seconds"),
                  .unit_s = 0,
                  .rest = match->text("rest")};
}

/// "3.5 min", in a unit below `before_s`.
std::optional<TimePart> part_at_front(std::string_view text, double before_s) {
  static const RegularExpression form(
      part_separator + any_value +
      R"( *(?<unit>(?i:days?|hours?|hrs?|minutes?|mins?|seconds?|secs?|milliseconds|msec|ms)"
      R"(|microseconds|us|\x{b5}s|ns)|[dhms]))" +
      not_more);
  const auto match = form.find(text);
  const auto value = match ? parse_double(match->text("value")) : std::nullopt;
  const double in_s = match ? unit_s(to_lower(match->text("unit"))) : 0;
  return value && in_s < before_s
             ? std::optional(TimePart{*value * in_s, in_s, match->text("rest")})
             : std::nullopt;
}

std::optional<TimePart> number_at_front(std::string_view text) {
  static const RegularExpression form("^" + any_value + not_more);
  const auto match = form.find(text);
  const auto value = match ? parse_double(match->text("value")) : std::nullopt;
  return value ? std::optional(TimePart{*value, 1, match->text("rest")}) : std::nullopt;
}

}  // namespace

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
  while (part) {
    found.seconds += part->seconds;
    text = part->rest;
    const double unit_s = has_unit ? part->unit_s : 0;
    part = unit_s >= day_s ? clock_at_front(text) : std::nullopt;
    part = part ? part : part_at_front(text, unit_s);
  }
  return found;
}

std::optional<double> clock_time_s(std::string_view text) {
  const bool clock = text.find(':') != std::string_view::npos;
  text = trim(text);
  const auto found = clock ? take_duration(text) : std::nullopt;
  return found && trim(text).empty() ? std::optional(found->seconds) : std::nullopt;
}

TimeName time_name(std::string_view name) {
  static const RegularExpression of_else(R"((?i)(?<![a-z])eta$|remain|time left)");
  static const RegularExpression time(
      R"((?i)(?<![a-z])(?:time|took|lasted|elapsed|duration|seconds|secs|sec|time_s|times|walltime|runtime)"
      R"(|elapse|takes|cost time|time used|minutes|hours|mins|sec/epoch|epoch_time|training_time)"
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

}  // namespace epochcast::progress
