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

}  // namespace epochcast::libtorch
