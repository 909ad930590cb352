// What one training step of a network computes.
#pragma once

#include <cstdint>

#include "src/training/loop/workload.hpp"
#include "src/training/torch/network/model.hpp"
#include "src/training/torch/profile/counting.hpp"

namespace epochcast::libtorch {

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
