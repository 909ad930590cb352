// The memory budget for decoded images.
#pragma once

#include <cstdint>
#include <string>

namespace epochcast::image {

/// A quarter of the memory that this process may use, in bytes. That memory is the smallest of: the
/// memory available on the machine, the limits of the control groups of the process, and the memory
/// granted by Slurm (SLURM_MEM_PER_NODE). The rest is left to the training. `root` replaces "/" in
/// tests.
std::int64_t cache_budget_bytes(const std::string& root = "/");

}  // namespace epochcast::image
