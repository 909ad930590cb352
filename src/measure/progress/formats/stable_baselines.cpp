// Stable-Baselines3's tables:
//   | time/                   |          |
//   |    fps                  | 1500     |
//   |    iterations           | 2        |
//   |    time_elapsed         | 2        |
//   |    total_timesteps      | 4096     |
// An iteration of the on-policy algorithms counts as an epoch. The others print none: their steps
// are those of the run. And Spinning Up's, with a clock of the run:
//   |             Epoch |               0 |
//   | TotalEnvInteracts |         4.0e+03 |
//   |              Time |            40.9 |
#include <cmath>
#include <map>
#include <string>

#include "src/base/core/text.hpp"
#include "src/measure/progress/lines/words.hpp"
#include "src/measure/progress/reading/format.hpp"

namespace epochcast::progress::formats {
namespace stable_baselines_format {

class StableBaselinesParser final : public SingleLineParser {
 public:
  std::optional<Reading> parse_line(const Line& line) override {
    static const RegularExpression row(
        R"(^\s*\| +(?<name>[^|]*[^| ]) *\| *(?<value>[^|]*?) *\|\s*$)");
    if (trim(line.text).starts_with("---")) {
      return end_of_table();
    }
    const auto match = row.find(line.text);
    const auto name = match ? match->text("name") : "";
    if (const auto value = match ? parse_double(match->text("value")) : std::nullopt) {
      values_[group_ + std::string(name)] = *value;
    } else if (name.ends_with("/")) {
      group_ = name;
    }
    return std::nullopt;
  }
  bool wants_every_line() const override { return !group_.empty() || values_.contains("Epoch"); }

 private:
  std::optional<Reading> end_of_table() {
    const auto values = std::exchange(values_, {});
    const auto number = [&](const char* name) {
      const auto found = values.find(name);
      return found != values.end() && found->second >= 0 && found->second < 9e15
                 ? std::optional(found->second)
                 : std::nullopt;
    };
    if (const auto epoch = number("Epoch")) {
      Reading reading{.epoch = count_.from_zero(std::llround(*epoch), false),
                      .clock_s = number(values.contains("Time") ? "Time" : "TimeSinceStart"),
                      .evidence = 0.5};
      reading.since_epoch = 0;
      reading.ends_epoch = true;
      add_metrics(values, reading);
      return reading.epoch ? std::optional(reading) : std::nullopt;
    }
    const auto steps = number("time/total_timesteps");
    if (!steps) {
      return std::nullopt;
    }
    Reading reading{.clock_s = number("time/time_elapsed"), .evidence = 0.5};
    if (const auto iterations = number("time/iterations"); iterations && *iterations >= 1) {
      reading.epoch = std::llround(*iterations) - 1;
      reading.ends_epoch = true;
      reading.since_epoch = 0;
      reading.samples = std::llround(*steps - (*steps > steps_ ? steps_ : 0));
    } else {
      reading.epoch = 0;
      reading.step = std::llround(*steps);
      reading.of_run = true;
    }
    steps_ = *steps;
    add_metrics(values, reading);
    return reading;
  }

  static void add_metrics(const std::map<std::string, double>& values, Reading& reading) {
    for (const auto& [name, value] : values) {
      if (!name.starts_with("time/") && name != "Epoch" && !name.starts_with("Time")) {
        reading.metrics.push_back({.name = name, .value = value});
      }
    }
  }

  std::string group_;
  std::map<std::string, double> values_;
  EpochCount count_;  ///< Of Spinning Up's tables.
  double steps_ = 0;
};

}  // namespace stable_baselines_format

FormatSpec stable_baselines() {
  return {.summary = "tables of Stable-Baselines and Spinning Up: '| total_timesteps | 4096 |'",
          .hints = {"| time/", "| rollout/", " Epoch |"},
          .open = [](const auto&) {
            return std::make_unique<stable_baselines_format::StableBaselinesParser>();
          }};
}

}  // namespace epochcast::progress::formats
