// Samples, tokens and model FLOP a second of a recorded run, and its model FLOPs utilization.
#pragma once

#include <vector>

#include "src/forecast/device/device.hpp"
#include "src/forecast/efficiency/model_work.hpp"
#include "src/record/record.hpp"

namespace epochcast::analysis {

/// At its steady rate (steady_samples_per_s). No utilization where the device, its peak in the
/// precision of the run, or the number of GPUs is not known, and of runs on CPUs.
efficiency::WorkRates run_rates(const record::Record& record,
                                const std::vector<device::Device>& database,
                                const efficiency::StatedWork& stated = {});

}  // namespace epochcast::analysis
