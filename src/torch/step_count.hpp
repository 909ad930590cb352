// What one training step of a network computes.
#pragma once

#include <cstdint>

#include "src/torch/counting.hpp"
#include "src/torch/model.hpp"

namespace epochcast {

/// Counts of one training step on `batch` samples. Every count is affine
/// in the batch, so two tiny steps of a second network give it; that one stands on the CPU, where
/// all operators are the same and no GPU is warmed up before its time.
OperatorCount count_step(const ModelSpec& model, NetworkContext context, std::int64_t batch);

/// The same of its forward pass alone.
OperatorCount count_inference(const ModelSpec& model, NetworkContext context, std::int64_t batch);

}  // namespace epochcast
