// The number of samples in one pass over a data set.
#pragma once

#include <cstdint>

#include "src/run/run_config.hpp"

namespace epochcast::train {

/// The number of samples in one pass, of training or evaluation, over `size` samples: all, or with
/// last_batch=drop only whole batches.
std::int64_t samples_of_pass(const run::RunConfig& config, std::int64_t size);

/// The same for a training epoch: with last_update=drop, only the batches that fill whole updates.
std::int64_t samples_of_training(const run::RunConfig& config, std::int64_t size);

}  // namespace epochcast::train
