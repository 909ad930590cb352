#include "src/measure/progress/duration.hpp"

#include <algorithm>
#include <array>

#include "src/base/core/text.hpp"
#include "src/measure/progress/words.hpp"

namespace epochcast::progress {
namespace {

struct Unit {
  std::string_view name;
  double seconds;
};

/// Single letters count in lower case only: "900M" is memory.
constexpr std::array units{Unit{"days", 86400},
                           Unit{"day", 86400},
                           Unit{"d", 86400},
                           Unit{"hours", 3600},
                           Unit{"hour", 3600},
                           Unit{"hrs", 3600},
                           Unit{"hr", 3600},
                           Unit{"h", 3600},
                           Unit{"minutes", 60},
                           Unit{"minute", 60},
                           Unit{"mins", 60},
                           Unit{"min", 60},
                           Unit{"m", 60},
                           Unit{"seconds", 1},
                           Unit{"second", 1},
                           Unit{"secs", 1},
                           Unit{"sec", 1},
                           Unit{"s", 1},
                           Unit{"milliseconds", 1e-3},
                           Unit{"msec", 1e-3},
                           Unit{"ms", 1e-3},
                           Unit{"microseconds", 1e-6},
                           Unit{"us", 1e-6},
                           Unit{"\xc2\xb5s", 1e-6},
                           Unit{"ns", 1e-9}};

/// The unit at the front, as a whole word; nullptr if there is none.
const Unit* take_unit(Scanner& scanner) {
  const auto rest = scanner.rest();
  std::size_t size = 0;
  while (size < rest.size() && (is_letter(rest[size]) || (rest[size] & 0x80) != 0)) {
    ++size;
  }
  const auto word = rest.substr(0, size);
  const auto same = [&](const Unit& unit) {
    return unit.name == word || (size > 1 && unit.name == to_lower(word));
  };
  const auto* found = std::ranges::find_if(units, same);
  if (found == units.end()) {
    return nullptr;
  }
  scanner.skip(word);
  return &*found;
}

/// Whether something follows that makes a rate, a word or a date of it: "12s/it", "2026-11-24";
/// "1:20]" is none.
bool goes_on(const Scanner& scanner) {
  const auto rest = scanner.rest();
  if (rest.size() > 1 && rest[0] == '-' && is_digit(rest[1])) {
    return true;
  }
  return !rest.empty() && (rest.front() == '/' || is_letter(rest.front()) || rest.front() == '_');
}

/// "12:03", "1:12:03.5".
std::optional<double> take_clock(Scanner& scanner) {
  auto at = scanner;
  double seconds = 0;
  int parts = 0;
  do {
    const auto part = whole(at);
    if (!part || ++parts > 3 || (parts > 1 && *part > 59)) {
      return std::nullopt;
    }
    seconds = seconds * 60 + static_cast<double>(*part);
  } while (at.skip(":"));
  if (parts < 2) {
    return std::nullopt;
  }
  if (const auto rest = at.rest(); rest.size() > 1 && rest[0] == '.' && is_digit(rest[1])) {
    seconds += at.number().value_or(0);
  }
  scanner = at;
  return seconds;
}

/// The next part of "1h 2m 3s", behind ", " or " and "; its unit is smaller than `before_s`.
std::optional<double> take_part(Scanner& scanner, double& before_s) {
  auto at = scanner;
  at.skip(",");
  at.skip_blanks();
  if (at.skip("and ")) {
    at.skip_blanks();
  }
  const auto rest = at.rest();
  if (rest.empty() || !is_digit(rest.front())) {
    return std::nullopt;
  }
  if (before_s >= 86400) {
    if (const auto clock_s = take_clock(at)) {
      scanner = at;
      before_s = 0;
      return clock_s;
    }
  }
  const auto value = at.number();
  at.skip_blanks();
  const auto* unit = value ? take_unit(at) : nullptr;
  if (unit == nullptr || unit->seconds >= before_s || goes_on(at)) {
    return std::nullopt;
  }
  scanner = at;
  before_s = unit->seconds;
  return *value * unit->seconds;
}

}  // namespace

std::optional<Duration> take_duration(Scanner& scanner) {
  auto at = scanner;
  if (const auto clock_s = take_clock(at)) {
    if (goes_on(at)) {
      return std::nullopt;
    }
    scanner = at;
    return Duration{.seconds = *clock_s, .has_unit = true};
  }
  if (at.rest().empty() || !(is_digit(at.rest().front()) || at.rest().front() == '.')) {
    return std::nullopt;
  }
  const auto value = at.number();
  if (!value) {
    return std::nullopt;
  }
  auto after = at;
  after.skip_blanks();
  const auto* unit = take_unit(after);
  if (unit == nullptr || goes_on(after)) {
    if (goes_on(at)) {
      return std::nullopt;
    }
    scanner = at;
    return Duration{.seconds = *value, .has_unit = false};
  }
  double seconds = *value * unit->seconds;
  double unit_s = unit->seconds;
  while (const auto part_s = take_part(after, unit_s)) {
    seconds += *part_s;
  }
  scanner = after;
  return Duration{.seconds = seconds, .has_unit = true};
}

std::optional<double> clock_time_s(std::string_view text) {
  Scanner scanner(trim(text));
  const auto found = take_duration(scanner);
  const bool clock = text.find(':') != std::string_view::npos;
  return found && clock && scanner.at_end() ? std::optional(found->seconds) : std::nullopt;
}

TimeName time_name(std::string_view name) {
  const auto low = to_lower(name);
  const auto has = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words,
                               [&](auto word) { return low.find(word) != std::string::npos; });
  };
  const auto ends = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words, [&](auto word) {
      const auto at = low.size() - std::min(low.size(), word.size());
      return low.ends_with(word) && (at == 0 || !is_letter(low[at - 1]));
    });
  };
  if (ends({"eta"}) || has({"remain", "time left"})) {
    return TimeName::of_else;
  }
  const bool time =
      ends({"time",         "took",       "elapsed",   "duration",   "seconds",       "secs",
            "sec",          "time_s",     "times",     "walltime",   "runtime",       "elapse",
            "takes",        "cost time",  "time cost", "time used",  "minutes",       "hours",
            "mins",         "time taken", "sec/epoch", "epoch_time", "training_time", "time spent",
            "elapsed_time", "s/epoch"}) ||
      has({"time taken", "time elapsed", "time per", "time/", "time for", "time cost",
           "time_cost"});
  if (!time) {
    return TimeName::none;
  }
  if (has({"batch", "iter", "step", "it_time"})) {
    return TimeName::step;
  }
  const bool other = has({"data", "total", "load", "forward", "backward", "eval", "val", "test",
                          "infer", "since", "start", "best", "sampl", "comm", "read", "sync"});
  return other ? TimeName::of_else : TimeName::epoch;
}

}  // namespace epochcast::progress
