// The memory layout in which convolutions are fastest.
#pragma once

#include "src/torch/base/torch.hpp"

namespace epochcast::libtorch {

/// Lays the filters of all convolutions of `net` out channels_last. Those of one tap too, which lie
/// so in any case: with the strides that their gradients will have, as exchanging them wants it.
inline void use_channels_last(torch::nn::Module& net) {
  const torch::NoGradGuard no_grad;
  const auto lay_out = [](torch::Tensor& filters) {
    filters.set_data(torch::empty_like(filters, at::MemoryFormat::ChannelsLast).copy_(filters));
  };
  for (const auto& module : net.modules()) {
    if (auto* convolution = module->as<torch::nn::Conv2d>()) {
      lay_out(convolution->weight);
    } else if (auto* transposed = module->as<torch::nn::ConvTranspose2d>()) {
      lay_out(transposed->weight);
    }
  }
}

}  // namespace epochcast::libtorch
