// How many samples a pass over the data takes.
#pragma once

#include <cstdint>

#include "src/run/run_config.hpp"

namespace epochcast::train {

/// Samples of a pass over `size` samples: all, or as many as fill whole batches.
std::int64_t samples_of_pass(const run::RunConfig& config, std::int64_t size);

/// The same of a pass that trains, whose last batches may have to fill a whole update.
std::int64_t samples_of_training(const run::RunConfig& config, std::int64_t size);

}  // namespace epochcast::train
