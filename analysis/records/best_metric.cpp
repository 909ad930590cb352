#include "analysis/records/best_metric.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace epochcast::analysis {
namespace {

struct NamedMetric {
  std::string name;
  MetricMeaning meaning;

  bool may_be_held_out() const {
    return meaning.held_out() || (meaning.data == MetricData::unknown && meaning.usually_held_out);
  }
};

/// Each name of the record once.
std::vector<NamedMetric> named_metrics(const record::Record& record) {
  std::set<std::string, std::less<>> seen;
  std::vector<NamedMetric> metrics;
  for (const auto& row : record.metrics) {
    if (!seen.contains(row.name.view())) {
      const auto& name = *seen.insert(row.name.str()).first;
      metrics.push_back({name, meaning_of_metric(name)});
    }
  }
  return metrics;
}

/// The end that is better, and the first of equals.
bool is_better(const BestValue& a, const BestValue& b, bool higher_is_better) {
  return a.value == b.value ? a.epoch < b.epoch : (a.value > b.value) == higher_is_better;
}

}  // namespace

std::string held_out_name(const record::Record& record, std::string_view quantity) {
  const NamedMetric* best = nullptr;
  const auto metrics = named_metrics(record);
  for (const auto& metric : metrics) {
    if (metric.meaning.quantity == quantity && metric.may_be_held_out() &&
        (best == nullptr || metric.meaning.data > best->meaning.data)) {
      best = &metric;
    }
  }
  return best == nullptr ? "" : best->name;
}

std::optional<BestValue> best_value(const record::Record& record, std::string_view quantity) {
  const auto name = held_out_name(record, quantity);
  const auto higher = meaning_of_metric(name).higher_is_better;
  std::optional<BestValue> after_epochs, within;
  for (const auto& row : record.metrics) {
    if (!higher || row.name.view() != name || !std::isfinite(row.value)) {
      continue;
    }
    auto& best = row.iteration == 0 ? after_epochs : within;
    const BestValue value{name, row.value, row.epoch};
    best = !best || is_better(value, *best, *higher) ? value : best;
  }
  return after_epochs ? after_epochs : within;
}

std::optional<double> best_accuracy(const record::Record& record) {
  const auto best = best_value(record, "accuracy");
  return best ? std::optional(best->value) : std::nullopt;
}

std::vector<Quantity> scored_quantities(const std::vector<LoadedRecord>& records) {
  std::vector<Quantity> found;
  for (const auto& loaded : records) {
    for (const auto& metric : named_metrics(loaded.record)) {
      const auto& meaning = metric.meaning;
      if (metric.may_be_held_out() &&
          std::ranges::find(found, meaning.quantity, &Quantity::name) == found.end() &&
          best_value(loaded.record, meaning.quantity)) {
        found.push_back({meaning.quantity, meaning.higher_is_better.value()});
      }
    }
  }
  const auto rank = [](const Quantity& quantity) {
    return quantity.name == "accuracy" ? 0 : quantity.name == "loss" ? 2 : 1;
  };
  std::ranges::stable_sort(found, {}, rank);
  return found;
}

}  // namespace epochcast::analysis
