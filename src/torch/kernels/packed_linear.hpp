// Linear layers with constant weights by oneDNN: the weights are packed once in its layout, and the
// operation after the product is done while the product is in the cache.
#pragma once

#include <vector>

#include "src/torch/base/torch.hpp"

namespace epochcast::libtorch {

/// On the CPU, in single precision, without gradients; needs onednn::is_possible().
class PackedLinear {
 public:
  /// Of `layers`, which have equal inputs, as one: their outputs stand side by side. Takes
  /// their weights: they have none afterwards. `scale`: where defined, a factor for every output.
  explicit PackedLinear(const std::vector<torch::nn::Linear>& layers,
                        const torch::Tensor& scale = {});

  torch::Tensor forward(const torch::Tensor& x) const;

  /// gelu(forward(x)), the exact one.
  torch::Tensor gelu(const torch::Tensor& x) const;

  /// forward(x) + other, which has the same shape.
  torch::Tensor plus(const torch::Tensor& x, const torch::Tensor& other) const;

 private:
  torch::Tensor weight_;
  torch::Tensor bias_;
};

}  // namespace epochcast::libtorch
