// Linear layers with constant weights by oneDNN. The weights are packed once in oneDNN's layout,
// and the operation after the product runs while the product is in the cache.
#pragma once

#include <vector>

#include "src/training/torch/base/torch.hpp"

namespace epochcast::libtorch {

/// Runs on the CPU, in single precision, without gradients. Requires onednn::is_possible().
class PackedLinear {
 public:
  /// Combines `layers`, which have the same inputs, into one layer with their outputs side by side.
  /// It takes over the weights of `layers`, which have no weights afterwards. `scale`: if defined,
  /// one factor for each output.
  explicit PackedLinear(const std::vector<torch::nn::Linear>& layers,
                        const torch::Tensor& scale = {});

  torch::Tensor forward(const torch::Tensor& x) const;

  /// gelu(forward(x)), with the exact GELU.
  torch::Tensor gelu(const torch::Tensor& x) const;

  /// forward(x) + other, where `other` has the same shape as forward(x).
  torch::Tensor plus(const torch::Tensor& x, const torch::Tensor& other) const;

 private:
  torch::Tensor weight_;
  torch::Tensor bias_;
};

}  // namespace epochcast::libtorch
