#include "analysis/records/target.hpp"

#include <algorithm>
#include <map>

#include "analysis/records/best_metric.hpp"
#include "analysis/records/records.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::analysis {
namespace {

/// After each epoch; not those of evaluations within one.
std::map<std::int64_t, double> accuracies(const record::Record& record) {
  std::map<std::int64_t, double> by_epoch;
  const auto name = held_out_name(record, "accuracy");
  for (const auto& metric : record.metrics) {
    if (metric.name.view() == name && metric.iteration == 0) {
      by_epoch[metric.epoch] = metric.value;
    }
  }
  return by_epoch;
}

}  // namespace

std::optional<AccuracyTarget> target_of(const record::Record& record) {
  const auto accuracy = parse_double(record::parameter(record, "target_accuracy"));
  if (!accuracy || !(*accuracy > 0)) {
    return std::nullopt;
  }
  return AccuracyTarget{*accuracy,
                        parse_integer(record::parameter(record, "patience")).value_or(1)};
}

std::optional<Reached> reached(const record::Record& record, const AccuracyTarget& target) {
  const auto by_epoch = accuracies(record);
  Reached so_far;
  std::int64_t in_a_row = 0;
  for (const auto& epoch : record.epochs) {
    const auto accuracy = by_epoch.find(epoch.epoch);
    if (epoch.epoch != so_far.epochs || accuracy == by_epoch.end()) {
      return std::nullopt;  // a hole: what stands after it is not known to be the first time
    }
    ++so_far.epochs;
    so_far.training_s += epoch.wall_s;
    so_far.wall_s = epoch.start_s + epoch.wall_s + epoch.evaluate_s - record.epochs.front().start_s;
    in_a_row = accuracy->second >= target.accuracy ? in_a_row + 1 : 0;
    if (in_a_row == target.patience) {
      return so_far;
    }
  }
  return std::nullopt;
}

}  // namespace epochcast::analysis
