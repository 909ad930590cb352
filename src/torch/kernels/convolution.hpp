// A convolution without bias whose weight gradient on a CPU is a matrix product. oneDNN's own takes
// up to twice as long where the filters outgrow a core's cache: 143 against 53 ms for 256 -> 512
// channels, 4x4 taps, 64 pictures of 8x8 on one core of an EPYC 7003, 70 against 57 ms for 128 ->
// 256, and no less below.
#pragma once

#include "src/torch/base/torch.hpp"

namespace epochcast::libtorch {

struct ConvolutionShape {
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  bool transposed = false;  ///< conv_transpose2d instead of conv2d.
};

/// The same numbers as conv2d or conv_transpose2d, gradients to rounding.
torch::Tensor convolve(const torch::Tensor& input, const torch::Tensor& weight,
                       const ConvolutionShape& shape);

}  // namespace epochcast::libtorch
