// Which class was taken for which: what every score of a classifier is made from.
#pragma once

#include <cstdint>

#include "src/torch/torch.hpp"
#include "src/train/workload.hpp"

namespace epochcast {

class Confusion {
 public:
  explicit Confusion(std::int64_t classes)
      : counts_(torch::zeros({classes, classes}, torch::kLong)) {}

  /// `answers` and `labels`: (N) int64, on the host, from 0 to below the number of classes.
  void add(const torch::Tensor& answers, const torch::Tensor& labels);
  void clear() { counts_.zero_(); }

  /// accuracy: the share that is right; balanced_accuracy: the mean over the classes that occur of
  /// the share of theirs that is right. Empty before the first answer.
  Metrics scores() const;

 private:
  torch::Tensor counts_;  ///< By label, then by answer.
};

}  // namespace epochcast
