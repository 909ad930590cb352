// The memory layout in which convolutions are fastest.
#pragma once

#include "src/training/torch/base/torch.hpp"

namespace epochcast::libtorch {

/// Changes the filters of all convolutions of `net` to the memory layout channels_last. This
/// includes 1x1 filters, whose elements are in that order in any case: they get the strides that
/// their gradients will have, as the gradient exchange expects.
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
