// Operators that compute the same bits in every run.
#pragma once

#include <string>

#include "src/training/torch/base/torch.hpp"

namespace epochcast::libtorch {

/// From now on LibTorch computes with its deterministic kernels, or again with the fastest. An
/// operator that has none goes on as before, and a warning names it once. On a GPU attention is
/// products and a softmax: the gradients of its fused kernels are not deterministic.
void use_deterministic_kernels(bool yes, const std::string& device);

/// Names the operators that had no deterministic kernel so far; empty if there are none.
std::string deterministic_note();

}  // namespace epochcast::libtorch
