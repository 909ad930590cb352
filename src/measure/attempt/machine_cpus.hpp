// The CPUs, GPUs and memory of this machine, compared with what an allocation needs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/record/run/allocation.hpp"

namespace epochcast::attempt {

/// The CPUs for the tasks of one node: the first ones of the mask; with smt off, one hardware
/// thread per core. std::nullopt if there are too few.
std::optional<std::vector<int>> cpus_for(const run::Allocation& allocation);

/// Why this machine cannot provide the allocation: "needs 16 CPUs, this process may use 2"; empty:
/// it can.
std::string why_not_here(const run::Allocation& allocation);

}  // namespace epochcast::attempt
