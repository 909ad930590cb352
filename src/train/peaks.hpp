// How much memory a run needs.
#pragma once

#include "src/train/team.hpp"
#include "src/train/workload.hpp"

namespace epochcast::train {

/// What the rank that needs most has held at once so far: peak_memory_bytes of its process,
/// peak_gpu_memory_bytes of its GPU; what nobody tells is left out. Called by all ranks together;
/// empty but on rank 0.
Metrics peaks_of(Team& team, const Workload& workload);

}  // namespace epochcast::train
