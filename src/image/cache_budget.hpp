// How much memory decoded images may take.
#pragma once

#include <cstdint>
#include <string>

namespace epochcast::image {

/// A quarter of the memory that is there for this process: of the least of what the machine has
/// available, what the limits of its control groups leave and what Slurm gave (SLURM_MEM_PER_NODE).
/// The rest is the training's. `root` stands for "/" in tests.
std::int64_t cache_budget_bytes(const std::string& root = "/");

}  // namespace epochcast::image
