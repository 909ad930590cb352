// The memory layout in which convolutions are fastest.
#pragma once

#include "src/torch/torch.hpp"

namespace epochcast {

/// Lays the filters of all convolutions of `net` out channels_last.
inline void use_channels_last(torch::nn::Module& net) {
  for (auto& parameter : net.parameters()) {
    if (parameter.dim() == 4) {
      parameter.set_data(parameter.contiguous(at::MemoryFormat::ChannelsLast));
    }
  }
}

}  // namespace epochcast
