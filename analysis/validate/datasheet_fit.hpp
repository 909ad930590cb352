// The two things that forecasts by datasheets learn from times, learned from some files: to score
// them on others, and to check those that are shipped (rates.hpp, ratio.hpp).
#pragma once

#include <optional>
#include <vector>

#include "analysis/validate/device_methods.hpp"

namespace epochcast::analysis {

struct DatasheetFit {
  double flops_per_byte = 0;  ///< As usual_flops_per_byte.
  device::Widths widths;      ///< Of programs or of single operators, whichever the files hold.
};

/// From the times of all files that the device decides, every pair of devices of a file with the
/// same weight. The widths alone with `flops_per_byte`. Throws Error for a file that has none on
/// two devices whose datasheets are known.
DatasheetFit fit_datasheets(const std::vector<CsvFile>& files,
                            std::optional<double> flops_per_byte = std::nullopt);

/// What datasheets say with it; nothing where they do not know a rate.
Method datasheets_by(const DatasheetFit& fit, const FileDevices& devices,
                     const std::vector<DeviceQuestion>& questions);

}  // namespace epochcast::analysis
