// What a metric is, by the name that a program gave it: "val_acc", "eval_accuracy", "Prec@1" and
// "metrics/accuracy_top1" are all accuracy. The only place that knows such names.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace epochcast {

/// The data that a metric is computed on.
enum class MetricData {
  unknown,     ///< The name does not say it.
  training,    ///< "train_acc"
  test,        ///< "test_acc": weights should not be chosen by it.
  validation,  ///< "val_acc", "eval_acc", "dev_acc"
};

struct MetricMeaning {
  /// "accuracy" for all names of top-1 accuracy, "loss", else the name's own words without the
  /// data: "f1_macro", "map50_95".
  std::string quantity;
  MetricData data = MetricData::unknown;
  std::optional<bool> higher_is_better = {};  ///< std::nullopt: not known, or neither is better.
  /// A bare "Acc@1" or "top1" is what programs print after a validation; a bare "accuracy" is that
  /// of training batches.
  bool usually_held_out = false;

  bool held_out() const { return data == MetricData::validation || data == MetricData::test; }
};

MetricMeaning meaning_of_metric(std::string_view name);

}  // namespace epochcast
