// What forecasts by datasheets learn from times, their widths, learned from some files: to score
// them on others, and to check those that are shipped (ratio.hpp).
#pragma once

#include <vector>

#include "analysis/validate/device_methods.hpp"

namespace epochcast::analysis {

/// From the times of all files that the device decides, every pair of devices of a file with the
/// same weight: of programs or of single operators, whichever the files hold. Throws Error for a
/// file that has none on two devices whose datasheets are known.
device::Widths learned_widths(const std::vector<CsvFile>& files);

/// What errors have beyond the widths of programs, for each octave of the batch; every question of
/// another batch (device::batch_octaves) with the same weight.
device::Widths learned_batch_widths(const CsvFile& file);

/// What datasheets say with these widths; nothing where they do not know a rate.
Method datasheets_with(const device::Widths& widths, const FileDevices& devices,
                       const std::vector<DeviceQuestion>& questions);

}  // namespace epochcast::analysis
