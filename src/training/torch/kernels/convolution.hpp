// A convolution without bias, computed on a CPU in the ways that are faster there:
//
// - The weight gradient as a matrix product. oneDNN's own takes up to 2.7 times as long if the
//   filters are larger than a core's cache: 143 instead of 53 ms for 256 -> 512 channels, 4x4 taps,
//   64 images of 8x8 on one core of an EPYC 7003, and 70 instead of 57 ms for 128 -> 256. For
//   smaller filters the matrix product is not faster.
// - A transposed convolution that doubles height and width, and the input gradient of one that
//   halves them, as one convolution for the four parities of row and column.
//
// Which one is faster is measured (choice.hpp).
#pragma once

#include "src/training/torch/base/torch.hpp"

namespace epochcast::libtorch {

struct ConvolutionShape {
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  bool transposed = false;  ///< conv_transpose2d instead of conv2d.
};

/// Computes the same numbers as conv2d or conv_transpose2d. The gradients are the same except for
/// rounding.
torch::Tensor convolve(const torch::Tensor& input, const torch::Tensor& weight,
                       const ConvolutionShape& shape);

}  // namespace epochcast::libtorch
