// What a run's configuration says of the course of its epochs.
#pragma once

#include <cstdint>

#include "src/run/run_config.hpp"

namespace epochcast {

/// Samples of a pass over `size` samples: all, or as many as fill whole batches.
std::int64_t samples_of_pass(const RunConfig& config, std::int64_t size);

/// The same of a pass that trains, whose last batches may have to fill a whole update.
std::int64_t samples_of_training(const RunConfig& config, std::int64_t size);

/// The factor on the learning rate in `epoch` (from 0) where `processes` train on each node. As
/// PyTorch's LinearLR with start_factor = 1 / processes and total_iters = warmup_epochs, stepped
/// once an epoch.
double warmup_factor(const RunConfig& config, std::int64_t epoch, std::int64_t processes);

}  // namespace epochcast
