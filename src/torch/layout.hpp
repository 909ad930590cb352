// The memory layout in which convolutions are fastest.
#pragma once

#include "src/torch/torch.hpp"

namespace epochcast {

/// Lays the filters of all convolutions of `net` out channels_last. Those of one tap too, which lie
/// so in any case: with the strides that their gradients will have, as exchanging them wants it.
inline void use_channels_last(torch::nn::Module& net) {
  const torch::NoGradGuard no_grad;
  for (auto& parameter : net.parameters()) {
    if (parameter.dim() == 4) {
      parameter.set_data(
          torch::empty_like(parameter, at::MemoryFormat::ChannelsLast).copy_(parameter));
    }
  }
}

}  // namespace epochcast
