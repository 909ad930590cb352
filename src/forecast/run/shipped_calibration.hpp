// What forecasts of public training logs taught of the size of their errors, before the user's
// ledger knows more.
#pragma once

#include <array>
#include <cstddef>

#include "src/forecast/run/conformal.hpp"

namespace epochcast::forecast {

/// The factors that `epochcast-analyze validate epochs --learn FILE --score FILE` prints for all
/// MLPerf trainings of v1.0 and v2.0 that did not stop within their last epoch, for 1 to 10 epochs
/// seen. The test SlowShippedCalibration computes
/// them again.
inline constexpr std::array<CalibrationFactors, 10> factors_by_epochs_seen{
    CalibrationFactors{.of_80 = 0.94, .of_95 = 1.08, .of_95_other = 1.08},
    CalibrationFactors{.of_80 = 0.91, .of_95 = 0.85, .of_95_other = 1.00},
    CalibrationFactors{.of_80 = 0.86, .of_95 = 0.65, .of_95_other = 1.00},
    CalibrationFactors{.of_80 = 0.82, .of_95 = 0.64, .of_95_other = 1.00},
    CalibrationFactors{.of_80 = 0.88, .of_95 = 0.67, .of_95_other = 1.00},
    CalibrationFactors{.of_80 = 0.90, .of_95 = 0.74, .of_95_other = 1.00},
    CalibrationFactors{.of_80 = 0.93, .of_95 = 0.80, .of_95_other = 1.00},
    CalibrationFactors{.of_80 = 1.03, .of_95 = 0.86, .of_95_other = 1.00},
    CalibrationFactors{.of_80 = 1.17, .of_95 = 0.86, .of_95_other = 1.00},
    CalibrationFactors{.of_80 = 1.22, .of_95 = 0.87, .of_95_other = 1.08}};

/// From 11 epochs on the model looks for a warm-up, levels and drifts (steady.hpp), and for stalls
/// that were not seen (scenarios.hpp): nothing is calibrated. `epochs_seen` is at least 1.
constexpr CalibrationFactors shipped_calibration(std::size_t epochs_seen) {
  return epochs_seen > factors_by_epochs_seen.size() ? CalibrationFactors{}
                                                     : factors_by_epochs_seen[epochs_seen - 1];
}

}  // namespace epochcast::forecast
