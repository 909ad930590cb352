// Counts what operators compute, as they run. Walks every call that LibTorch dispatches, forward
// and backward, so that a new model needs no code for it.
#pragma once

#include <ATen/core/ivalue.h>

#include <functional>
#include <string_view>

namespace epochcast::libtorch {

/// Of convolutions, matrix products and attention; other operators are not counted.
struct OperatorCount {
  double flops = 0;              ///< 2 a multiply-add, taps that fall on the padding included.
  double convolution_flops = 0;  ///< Part of it: convolutions.
  double bytes =
      0;  ///< Of the tensors that these operators read and write, as if there were no cache.
};

/// Whether the operators of this name are counted.
bool has_counted_flops(std::string_view name);

/// What one call of a counted operator computes.
OperatorCount count_call(std::string_view name, c10::ArrayRef<c10::IValue> inputs,
                         c10::ArrayRef<c10::IValue> outputs);

/// Runs `body` and counts. One at a time in a process.
OperatorCount count_operators(const std::function<void()>& body);

}  // namespace epochcast::libtorch
