#include "src/measure/progress/reading/reading.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "src/base/core/regular_expression.hpp"

namespace epochcast::progress {
namespace {

bool countable(const std::optional<std::int64_t>& count) {
  constexpr std::int64_t most = 1'000'000'000'000'000;
  return !count || (*count >= 0 && *count <= most);
}

}  // namespace

double without_rounding(double epochs) {
  const double whole = std::round(epochs);
  return std::abs(epochs - whole) < 1e-9 * std::max(1.0, whole) ? whole : epochs;
}

std::optional<Reading> possible(Reading reading) {
  constexpr double longest_s = 1e9;  // 30 years
  if (!countable(reading.epoch) || !countable(reading.epochs) || !countable(reading.step) ||
      !countable(reading.steps) || !countable(reading.samples)) {
    return std::nullopt;
  }
  for (auto* time_s : {&reading.step_s, &reading.elapsed_s, &reading.duration_s, &reading.clock_s,
                       &reading.evaluation_s}) {
    if (*time_s && !(**time_s >= 0 && **time_s <= longest_s)) {
      time_s->reset();
    }
  }
  if (reading.part) {
    const auto part = without_rounding(*reading.part);
    reading.part = part >= 0 && part <= 1 ? std::optional(part) : std::nullopt;
  }
  std::erase_if(reading.metrics, [](const auto& metric) { return !std::isfinite(metric.value); });
  return reading;
}

bool is_complete(const Reading& reading) {
  return reading.step && reading.steps && *reading.step >= *reading.steps;
}

TimedReading reading_of_other(const Line& line) {
  static const RegularExpression values(
      R"((?i)^(?!.*%\|).*(?:\d\.\d|\d ?%|(?<![a-z])(?:val|eval|test|dev|acc|score|metric|result|held)))");
  static const RegularExpression saving(
      R"((?i)(?<![a-z])(?:sav|checkpoint|ckpt|writ|wrote|stor|dump))");
  Reading reading;
  if (line.evaluation != InEvaluation::no) {
    reading.phase = Phase::evaluate;
    reading.step = line.evaluation == InEvaluation::begins ? 0 : 1;
    reading.steps = 1;
  } else {
    const auto begin = line.text.substr(0, 200);
    reading.phase = values.find(begin) && !saving.find(begin) ? Phase::values : Phase::other;
  }
  return {std::move(reading), line.at_s, line.since_s};
}

double part_done(const Reading& reading) {
  if (reading.ends_epoch) {
    return 1;
  }
  if (reading.step && reading.steps && *reading.steps > 0) {
    return static_cast<double>(*reading.step) / static_cast<double>(*reading.steps);
  }
  return reading.part.value_or(0);
}

}  // namespace epochcast::progress
