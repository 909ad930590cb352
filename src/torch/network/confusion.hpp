// The confusion matrix: every score of a classifier is computed from it.
#pragma once

#include <cstdint>

#include "src/torch/base/torch.hpp"
#include "src/train/team.hpp"
#include "src/train/workload.hpp"

namespace epochcast::libtorch {

class Confusion {
 public:
  explicit Confusion(std::int64_t classes, const torch::Device& device = torch::kCPU)
      : counts_(torch::zeros({classes, classes + 1}, torch::device(device).dtype(torch::kLong))) {}

  /// `answers` and `labels`: (N) int64, on the device of the matrix, from 0 to below the number of
  /// classes. An answer that equals the number of classes is no class (classes_of()): it is wrong.
  /// Does not wait for the device.
  void add(const torch::Tensor& answers, const torch::Tensor& labels);
  void clear() { counts_.zero_(); }

  /// Replaces the counts by the sum over all ranks, which call this together.
  void all_reduce(train::Team& team);

  /// Each from 0 to 1, as scikit-learn's accuracy_score, balanced_accuracy_score, precision_score,
  /// recall_score and f1_score (1.5) define them. With two classes the last three are those of
  /// class 1; with more they are means over the classes, weighted by how often each occurs, as both
  /// studies report them; 0 if the denominator is 0 (zero_division=0). accuracy: the fraction that
  /// is right; balanced_accuracy: the mean recall of the classes that occur. Empty before the first
  /// answer. Waits for the device.
  train::Metrics scores() const;

  /// How many answers are no class. Waits for the device.
  std::int64_t without_class() const;

 private:
  torch::Tensor counts_;  ///< By label, then by answer; the last column: no class.
};

/// The class with the largest logit of every row, (N) int64; the number of classes if a logit of
/// the row is not finite. `logits`: (N, classes) float, on any device.
torch::Tensor classes_of(const torch::Tensor& logits);

}  // namespace epochcast::libtorch
