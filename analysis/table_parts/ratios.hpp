// How much faster one allocation is than another: as its hardware promises, and as it was.
#pragma once

#include <vector>

#include "analysis/groups/run_groups.hpp"
#include "src/forecast/device/device.hpp"
#include "src/output/table/table.hpp"

namespace epochcast::analysis {

/// For each pair of GPU allocations, the one with the higher peak first: FLOPS against FLOPS in the
/// precision that was used, beside the ratio of the total times. The assumptions on the devices are
/// in the notes. No rows where fewer than two allocations ran on GPUs; a note says so where GPUs
/// were claimed but not used.
table::Table gpu_ratios(const Study& study, const std::vector<device::Device>& database);

/// For each CPU allocation against the one with the fewest CPUs of the same model: CPUs against
/// CPUs, beside the observed ratio. Both tables have a note where the work of two differs.
table::Table cpu_ratios(const Study& study);

}  // namespace epochcast::analysis
