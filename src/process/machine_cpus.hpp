// The CPUs, GPUs and memory of this machine that an allocation can be bound to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/run/allocation.hpp"

namespace epochcast::process {

/// CPUs this process may use: its affinity mask, not the machine's count.
std::vector<int> allowed_cpus();

/// The CPUs to bind the tasks of a node to: the first of the mask; where smt is off one hardware
/// thread a core. Nothing when there are too few.
std::optional<std::vector<int>> cpus_for(const run::Allocation& allocation);

/// Why this machine cannot give the allocation: "needs 16 CPUs, this process may use 2"; empty: it
/// can.
std::string why_not_here(const run::Allocation& allocation);

}  // namespace epochcast::process
