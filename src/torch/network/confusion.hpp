// Which class was taken for which: what every score of a classifier is made from.
#pragma once

#include <cstdint>

#include "src/torch/base/torch.hpp"
#include "src/train/team.hpp"
#include "src/train/workload.hpp"

namespace epochcast::libtorch {

class Confusion {
 public:
  explicit Confusion(std::int64_t classes, const torch::Device& device = torch::kCPU)
      : counts_(torch::zeros({classes, classes}, torch::device(device).dtype(torch::kLong))) {}

  /// `answers` and `labels`: (N) int64, on the matrix's device, from 0 to below the number of
  /// classes. Waits for nothing.
  void add(const torch::Tensor& answers, const torch::Tensor& labels);
  void clear() { counts_.zero_(); }

  /// Becomes the sum over all ranks, which call this together.
  void all_reduce(train::Team& team);

  /// Each from 0 to 1, as scikit-learn's accuracy_score, balanced_accuracy_score, precision_score,
  /// recall_score and f1_score (1.5) define them. Of two classes the last three are those of class
  /// 1, of more the means over the classes weighted by how often each occurs, as both studies
  /// report them; 0 where the denominator is (zero_division=0). accuracy: the share that is right;
  /// balanced_accuracy: the mean recall of the classes that occur. Empty before the first answer.
  /// Waits for the device.
  train::Metrics scores() const;

 private:
  torch::Tensor counts_;  ///< By label, then by answer.
};

}  // namespace epochcast::libtorch
