// How well a run did on held-out data, under whatever name its program printed that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/records/records.hpp"
#include "src/base/core/metric_meaning.hpp"

namespace epochcast::analysis {

/// The record's metric of this quantity (MetricMeaning) on held-out data, validation before
/// test; "" if it has none. A metric that is usually held-out counts if no other one is.
std::string held_out_name(const record::Record& record, std::string_view quantity);

struct BestValue {
  std::string name;  ///< Of the metric.
  double value = 0;
  std::int64_t epoch = 0;  ///< After which it was reached, from 0; the first one of equals.
};

/// The best finite value of held_out_name() after any epoch; where none was evaluated after its
/// end, of those within. std::nullopt if there is none, or the better end is not known.
std::optional<BestValue> best_value(const record::Record& record, std::string_view quantity);

/// best_value() of the accuracy.
std::optional<double> best_accuracy(const record::Record& record);

struct Quantity {
  std::string name;
  bool higher_is_better = true;
};

/// The quantities of which any of `records` has a best value: accuracy first, loss last.
std::vector<Quantity> scored_quantities(const std::vector<LoadedRecord>& records);

}  // namespace epochcast::analysis
