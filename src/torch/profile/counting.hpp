// Counts what operators compute, as they run. Walks every call that LibTorch dispatches, forward
// and backward, so that a new model needs no code for it.
#pragma once

#include <functional>

namespace epochcast::libtorch {

/// Of convolutions, matrix products and attention; other operators are not counted.
struct OperatorCount {
  double flops = 0;              ///< 2 a multiply-add, taps that fall on the padding included.
  double convolution_flops = 0;  ///< Part of it: convolutions.
  double bytes =
      0;  ///< Of the tensors that these operators read and write, as if there were no cache.
};

/// Runs `body` and counts. One at a time in a process.
OperatorCount count_operators(const std::function<void()>& body);

}  // namespace epochcast::libtorch
