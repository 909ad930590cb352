// The gradients accumulated for an update before all of its batches are processed. They are part of
// a checkpoint.
#pragma once

#include "src/training/torch/base/named_tensors.hpp"

namespace epochcast::libtorch {

/// The gradients of `parameters`, named "gradient." plus the name of the parameter. A parameter
/// without a gradient gets one of zeros. To restore the gradients, copy into these tensors.
inline NamedTensors gradients_of(const NamedTensors& parameters) {
  NamedTensors gradients;
  for (auto [name, parameter] : parameters) {
    if (!parameter.grad().defined()) {
      const torch::NoGradGuard no_grad;
      parameter.mutable_grad() = torch::zeros_like(parameter);
    }
    gradients.emplace_back("gradient." + name, parameter.grad());
  }
  return gradients;
}

}  // namespace epochcast::libtorch
