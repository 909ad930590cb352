// The peak memory of a run.
#pragma once

#include "src/training/loop/team.hpp"
#include "src/training/loop/workload.hpp"

namespace epochcast::train {

/// The largest peaks of any rank so far: peak_memory_bytes of its process and peak_gpu_memory_bytes
/// of its GPU; an unknown peak is omitted. Called by all ranks together; empty except on rank 0.
Metrics peaks_of(Team& team, const Workload& workload);

}  // namespace epochcast::train
