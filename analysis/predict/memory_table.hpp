// The most memory that a run holds at a setting, and whether a device has it.
#pragma once

#include "analysis/predict/predict.hpp"
#include "analysis/predict/surface_settings.hpp"
#include "src/forecast/device/device.hpp"

namespace epochcast::analysis {

/// The memory at `asked`, from that of the runs (memory_law.hpp): of a node, and of a GPU where
/// runs have samples of one; on `device`, if it is given, whether that fits, and if it may not, the
/// largest batch that does. `parameters`: of a network of another size than those of the runs; 0:
/// that of the runs, which is one. Without a table if no run has a peak and no device is asked for.
/// A forecast, with a device, is one of its memory.
Answers memory_at(const SurfaceSettings& recorded, const forecast::StepSetting& asked,
                  const device::Device* device = nullptr, double parameters = 0);

}  // namespace epochcast::analysis
