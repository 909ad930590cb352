// The loss of classifiers.
#pragma once

#include "src/torch/base/procedure.hpp"
#include "src/torch/base/torch.hpp"

namespace epochcast::libtorch {

/// Cross entropy of the logits (N, classes) with the labels (N) int64, summed over the samples: a
/// scalar. With Procedure::optimized that of few samples on a CPU takes half as many operators,
/// whose calls cost more than their numbers. Throws c10::Error where a label is no class.
torch::Tensor summed_cross_entropy(const torch::Tensor& logits, const torch::Tensor& labels,
                                   Procedure procedure);

}  // namespace epochcast::libtorch
