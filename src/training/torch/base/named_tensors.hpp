// Tensors by name: parameters and everything else that a checkpoint contains.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "src/training/torch/base/torch.hpp"

namespace epochcast::libtorch {

using NamedTensors = std::vector<std::pair<std::string, torch::Tensor>>;

/// Appends `tensors` of a module to `all`, with `prefix` before their names.
inline void append_named(NamedTensors& all, const std::string& prefix,
                         const torch::OrderedDict<std::string, torch::Tensor>& tensors) {
  for (const auto& item : tensors) {
    all.emplace_back(prefix + item.key(), item.value());
  }
}

inline NamedTensors named_parameters_of(const torch::nn::Module& module) {
  NamedTensors all;
  append_named(all, "", module.named_parameters());
  return all;
}

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
