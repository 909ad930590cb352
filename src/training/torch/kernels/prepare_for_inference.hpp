// Modules that compute the same results faster once their weights no longer change.
#pragma once

#include "src/training/torch/base/torch.hpp"

namespace epochcast::libtorch {

class PreparesForInference {
 public:
  virtual ~PreparesForInference() = default;

  /// From now on the module uses its current weights, on a CPU, in single precision and without
  /// gradients. It may release its parameters.
  virtual void prepare_for_inference() = 0;
};

/// Prepares all modules of `net` that support it.
inline void prepare_for_inference(torch::nn::Module& net) {
  net.apply([](torch::nn::Module& module) {
    if (auto* prepares = dynamic_cast<PreparesForInference*>(&module)) {
      prepares->prepare_for_inference();
    }
  });
}

}  // namespace epochcast::libtorch
