// The loss of classifiers.
#pragma once

#include "src/training/torch/base/procedure.hpp"
#include "src/training/torch/base/torch.hpp"

namespace epochcast::libtorch {

/// Cross entropy of the logits (N, classes) with the labels (N) int64, summed over the samples: a
/// scalar. With Procedure::optimized, a small batch on a CPU takes half as many operators, because
/// calling them costs more than their arithmetic. Throws c10::Error if a label is not a class.
torch::Tensor summed_cross_entropy(const torch::Tensor& logits, const torch::Tensor& labels,
                                   Procedure procedure);

}  // namespace epochcast::libtorch
