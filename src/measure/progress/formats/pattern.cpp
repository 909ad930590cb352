// Lines that the user's regular expression finds: its groups name what they hold. A line with a
// step is one of a step, else the epoch ends with it, or begins if its group says so.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "src/base/core/error.hpp"
#include "src/base/core/regular_expression.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/progress/lines/words.hpp"
#include "src/measure/progress/reading/format.hpp"

namespace epochcast::progress::formats {
namespace user_pattern {

using Match = RegularExpression::Match;

const std::vector<std::string> known{"epoch",      "epoch_begins", "epochs",       "step",
                                     "steps",      "iteration",    "samples",      "seconds",
                                     "duration_s", "duration_ms",  "duration_min", "samples_per_s",
                                     "elapsed_s",  "clock_s",      "run"};

std::optional<double> number(const Match& match, std::string_view name) {
  const auto value = parse_double(trim(match.text(name)));
  return value && std::isfinite(*value) ? value : std::nullopt;
}

/// The largest count is 2^53, where whole numbers end to be exact.
std::optional<std::int64_t> count(const Match& match, std::string_view name) {
  const auto value = number(match, name);
  return value && *value >= 0 && *value < 9e15 ? std::optional(std::llround(*value)) : std::nullopt;
}

std::optional<double> duration_s(const Match& match) {
  for (const auto& [name, unit_s] : {std::pair{"seconds", 1.0},
                                     {"duration_s", 1.0},
                                     {"duration_ms", 0.001},
                                     {"duration_min", 60.0}}) {
    if (const auto value = number(match, name); value && *value >= 0) {
      return *value * unit_s;
    }
  }
  const auto samples = number(match, "samples");
  const auto rate = number(match, "samples_per_s");
  return samples && rate && *rate > 0 ? std::optional(*samples / *rate) : std::nullopt;
}

void check(const RegularExpression& expression) {
  constexpr std::array needed{"epoch", "epoch_begins", "step", "iteration"};
  if (std::ranges::any_of(needed, [&](const char* name) { return expression.has(name); })) {
    return;
  }
  std::string near;
  for (const auto& name : expression.names()) {
    near = near.empty() ? suggestion(name, known) : near;
  }
  throw Error("--pattern: found neither (?<epoch>...) nor (?<step>...), expected one of them" +
              near);
}

class UserPatternParser final : public SingleLineParser {
 public:
  explicit UserPatternParser(const std::string& pattern) : expression_(pattern) {
    check(expression_);
  }

  std::optional<Reading> parse_line(const Line& line) override {
    const auto match = expression_.find(line.text);
    if (!match) {
      return std::nullopt;
    }
    Reading reading;
    const auto epochs = count(*match, "epochs");
    const auto begins = count(*match, "epoch_begins");
    if (const auto epoch = begins ? begins : count(*match, "epoch")) {
      reading.epoch = epochs_.from_zero(*epoch, epochs.has_value());
    }
    if (epochs) {
      reading.epochs = epochs_.total(*epochs);
    }
    reading.step = count(*match, "step");
    if (!reading.step) {
      reading.step = count(*match, "iteration");
    }
    if (!reading.epoch && !reading.step) {
      return std::nullopt;
    }
    reading.steps = count(*match, "steps");
    reading.samples = count(*match, "samples");
    (reading.step ? reading.step_s : reading.duration_s) = duration_s(*match);
    reading.elapsed_s = number(*match, "elapsed_s");
    reading.clock_s = number(*match, "clock_s");
    reading.begins_epoch = begins && !reading.step;
    reading.ends_epoch = !begins && !reading.step;
    reading.evidence = 1;  // the user has said so
    for (const auto& [name, text] : *match) {
      const auto value = number(*match, name);
      if (value && std::ranges::find(known, name) == known.end()) {
        reading.metrics.push_back({.name = std::string(name), .value = *value});
      }
    }
    return reading;
  }

 private:
  RegularExpression expression_;
  EpochCount epochs_;
};

}  // namespace user_pattern

FormatSpec pattern() {
  return {.summary = "lines that --pattern finds",
          .open = [](const FormatOptions& options) -> std::unique_ptr<LineParser> {
            if (options.pattern.empty()) {
              throw Error(
                  "--pattern is missing: a regular expression such as "
                  "'epoch (?<epoch>\\d+).* loss (?<loss>[\\d.]+)'");
            }
            return std::make_unique<user_pattern::UserPatternParser>(options.pattern);
          }};
}

}  // namespace epochcast::progress::formats
