// The loss of classifiers.
#pragma once

#include "src/torch/base/procedure.hpp"
#include "src/torch/base/torch.hpp"

namespace epochcast::libtorch {

/// Cross entropy of the logits (N, classes) with the labels (N) int64, summed over the samples: a
/// scalar. With Procedure::optimized, few samples on a CPU take half as many operators, whose calls
/// cost more than their arithmetic. Throws c10::Error if a label is not a class.
torch::Tensor summed_cross_entropy(const torch::Tensor& logits, const torch::Tensor& labels,
                                   Procedure procedure);

}  // namespace epochcast::libtorch
