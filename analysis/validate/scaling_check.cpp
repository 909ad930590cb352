#include "analysis/validate/scaling_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/core/text.hpp"

namespace epochcast::analysis {
namespace {

/// One that could have been asked before the point was run.
struct Question {
  const ScalingRuns* asked;
  std::vector<const ScalingRuns*> given;
};

std::vector<Question> questions_of(const ScalingSeries& series) {
  const double fewest = std::ranges::min_element(series.points, {}, &ScalingRuns::nodes)->nodes;
  std::vector<const ScalingRuns*> there;  // by workers, as the points are
  for (const auto& point : series.points) {
    if (point.nodes == fewest) {
      there.push_back(&point);
    }
  }
  std::vector<Question> questions;
  if (there.size() > 3) {
    questions.push_back({there.back(), {there.begin(), there.end() - 1}});
  }
  for (const auto& point : series.points) {
    if (point.nodes > fewest) {
      questions.push_back({&point, there});
    }
  }
  return questions;
}

/// "1, 2, 4 on 1".
std::string names_of(const std::vector<const ScalingRuns*>& given) {
  std::vector<std::string> names;
  for (const auto* point : given) {
    names.push_back(fmt::format("{:g}", point->workers));
  }
  return fmt::format("{} on {:g}", join(names, ", "), given.front()->nodes);
}

void add_row(table::Table& table, const ScalingSeries& series, const Question& question) {
  std::vector<forecast::ScalingPoint> points;
  for (const auto* point : question.given) {
    points.push_back({point->workers, point->throughput().median, point->nodes});
  }
  const auto answer = forecast::scaling_forecast(
      points, {.workers = question.asked->workers, .nodes = question.asked->nodes});
  const auto* found = std::get_if<forecast::ScalingForecast>(&answer);
  if (found == nullptr) {
    return;
  }
  const double one = series.base().throughput().median;
  const double truth = question.asked->throughput().median;
  const auto speedup = found->throughput * (1 / one);
  table.rows.push_back({series.name(), names_of(question.given), question.asked->workers,
                        question.asked->nodes, speedup.value, speedup.interval_80.low,
                        speedup.interval_80.high, truth / one,
                        100 * (found->throughput.value / truth - 1),
                        found->throughput.interval_80.holds(truth) ? "yes" : "no"});
}

}  // namespace

table::Table scaling_check(const std::vector<ScalingSeries>& all) {
  auto error = table::number_column("error_percent", "error", "%", 1);
  error.always_sign = true;
  table::Table table{
      .name = "foretold",
      .title = "What fewer workers or nodes would have foretold",
      .columns = {table::text_column("series", "series"),
                  table::text_column("given", "given, on nodes"),
                  table::number_column("workers", "workers", "", 0),
                  table::number_column("nodes", "nodes", "", 0),
                  table::number_column("forecast_speedup", "speed-up forecast", "", 2),
                  table::number_column("low_80_speedup", "80% from", "", 2),
                  table::number_column("high_80_speedup", "to", "", 2),
                  table::number_column("observed_speedup", "observed", "", 2), error,
                  table::text_column("inside_80", "in 80%")}};
  for (const auto& series : all) {
    for (const auto& question : questions_of(series)) {
      add_row(table, series, question);
    }
  }
  return table;
}

}  // namespace epochcast::analysis
