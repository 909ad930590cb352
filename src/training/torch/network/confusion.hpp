// The confusion matrix: every score of a classifier is computed from it.
#pragma once

#include <cstdint>

#include "src/training/loop/team.hpp"
#include "src/training/loop/workload.hpp"
#include "src/training/torch/base/torch.hpp"

namespace epochcast::libtorch {

class Confusion {
 public:
  explicit Confusion(std::int64_t classes, const torch::Device& device = torch::kCPU)
      : counts_(torch::zeros({classes, classes + 1}, torch::device(device).dtype(torch::kLong))) {}

  /// `answers` and `labels`: (N) int64, on the device of the matrix, from 0 to below the number of
  /// classes. An answer equal to the number of classes means no class (see classes_of()) and counts
  /// as wrong. Does not wait for the device.
  void add(const torch::Tensor& answers, const torch::Tensor& labels);
  void clear() { counts_.zero_(); }

  /// Replaces the counts by the sum over all ranks. All ranks must call this together.
  void all_reduce(train::Team& team);

  /// The scores, each from 0 to 1, as scikit-learn's accuracy_score, balanced_accuracy_score,
  /// precision_score, recall_score and f1_score (1.5) define them. With two classes, the last three
  /// are the scores of class 1. With more classes, they are means over the classes, weighted by how
  /// often each class occurs, as both studies report them. A score is 0 if its denominator is 0
  /// (zero_division=0). accuracy: the fraction of correct answers; balanced_accuracy: the mean
  /// recall of the classes that occur. Empty before the first answer. Waits for the device.
  train::Metrics scores() const;

  /// The number of answers that are no class. Waits for the device.
  std::int64_t without_class() const;

 private:
  torch::Tensor counts_;  ///< Rows: labels; columns: answers; last column: no class.
};

/// The class with the largest logit in each row, (N) int64, or the number of classes if a logit of
/// the row is not finite. `logits`: (N, classes) float, on any device.
torch::Tensor classes_of(const torch::Tensor& logits);

}  // namespace epochcast::libtorch
