#include "analysis/export/logged_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "src/base/core/clock.hpp"
#include "src/base/core/text.hpp"
#include "src/record/queries.hpp"

namespace epochcast::analysis {

std::int64_t origin_ms(const record::Record& record) {
  if (const auto origin = parse_integer(record::parameter(record, "origin_ms"))) {
    return *origin;
  }
  const auto created_s = seconds_since_1970(record.header.created_at.str());
  return std::llround(1000 * created_s.value_or(0));
}

std::vector<LoggedMetric> logged_metrics(const record::Record& record) {
  struct End {
    double start_s = 0;
    double wall_s = 0;
    double at_s = 0;
    std::int64_t steps_before = 0;
    std::int64_t steps = 0;
  };
  std::map<std::int64_t, End> ends;
  std::vector<LoggedMetric> metrics;
  std::int64_t steps = 0;
  const auto origin = origin_ms(record);
  const auto add = [&](std::int64_t epoch, std::int64_t iteration, const std::string& name,
                       double value) {
    const auto& end = ends.at(epoch);
    const auto at_end = steps > 0 ? end.steps_before + end.steps - 1 : epoch;
    const bool within = iteration > 0 && iteration <= end.steps;  // at the even pace of its steps
    const double at_s = within ? end.start_s + end.wall_s * static_cast<double>(iteration) /
                                                   static_cast<double>(end.steps)
                               : end.at_s;
    metrics.push_back({.at_ms = origin + std::llround(1000 * at_s),
                       .step = iteration > 0 ? end.steps_before + iteration - 1 : at_end,
                       .epoch = epoch,
                       .name = name,
                       .value = value});
  };
  for (const auto& epoch : record.epochs) {
    ends[epoch.epoch] = {.start_s = epoch.start_s,
                         .wall_s = epoch.wall_s,
                         .at_s = epoch.start_s + epoch.wall_s + epoch.evaluate_s,
                         .steps_before = steps,
                         .steps = epoch.iterations};
    steps += epoch.iterations;
  }
  for (const auto& epoch : record.epochs) {
    add(epoch.epoch, 0, "wall_s", epoch.wall_s);
  }
  for (const auto& metric : record.metrics) {
    if (ends.contains(metric.epoch)) {
      add(metric.epoch, metric.iteration, metric.name.str(), metric.value);
    }
  }
  std::ranges::stable_sort(metrics, {}, &LoggedMetric::step);
  return metrics;
}

}  // namespace epochcast::analysis
