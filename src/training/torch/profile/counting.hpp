// Counts what operators compute, as they run. Walks every call that LibTorch dispatches, forward
// and backward, so that a new model needs no code for it.
#pragma once

#include <ATen/core/ivalue.h>

#include <cstdint>
#include <functional>
#include <string_view>

#include "src/training/loop/workload.hpp"
#include "src/training/torch/network/model.hpp"

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

/// Counts of one training step on `batch` samples. Every count is affine
/// in the batch, so two tiny steps of a second network give it; that one stands on the CPU, where
/// all operators are the same and no GPU is warmed up before its time.
OperatorCount count_step(const ModelSpec& model, NetworkContext context, std::int64_t batch);

/// The same of its forward pass alone.
OperatorCount count_inference(const ModelSpec& model, NetworkContext context, std::int64_t batch);

/// For the record: the parameters of `network`, and by sample what `count` is of a step on `batch`
/// of them in the arithmetic `precision`. How long a pass is stays open.
record::Work work_of(const Network& network, const OperatorCount& count, std::int64_t batch,
                     const std::string& precision);

}  // namespace epochcast::libtorch
