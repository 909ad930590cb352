// The GPU of a recorded run, and its peak.
#pragma once

#include <string_view>
#include <vector>

#include "src/forecast/device/match.hpp"
#include "src/record/record.hpp"

namespace epochcast::device {

/// What is known of its GPU; if the driver reported nothing, the requested type.
GpuTraits gpu_of(const record::Record& record);

/// FLOP/s of one of its GPUs in `precision`; 0: the device or its figure is not known, or it had
/// none.
double peak_flops_per_s(const record::Record& record, std::string_view precision,
                        const std::vector<Device>& database);

}  // namespace epochcast::device
