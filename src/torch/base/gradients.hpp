// The gradients accumulated for an update whose batches are not all processed: part of a
// checkpoint.
#pragma once

#include "src/torch/base/named_tensors.hpp"

namespace epochcast::libtorch {

/// Of `parameters`, by their names after "gradient."; zeros where one has none yet. Copying into
/// them restores them.
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
