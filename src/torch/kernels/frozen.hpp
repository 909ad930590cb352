// Modules that can compute the same faster once their weights no longer change.
#pragma once

#include "src/torch/base/torch.hpp"

namespace epochcast::libtorch {

class Freezable {
 public:
  virtual ~Freezable() = default;

  /// From now on the module answers with the weights that it has now, on a CPU, in single precision
  /// and without gradients; its parameters may be gone.
  virtual void prepare_for_inference() = 0;
};

/// Freezes all modules of `net` that can be.
inline void prepare_for_inference(torch::nn::Module& net) {
  net.apply([](torch::nn::Module& module) {
    if (auto* freezable = dynamic_cast<Freezable*>(&module)) {
      freezable->prepare_for_inference();
    }
  });
}

}  // namespace epochcast::libtorch
