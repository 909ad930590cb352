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

/// The same of blocks (RunSeries::of_blocks): what `epochcast-analyze validate blocks --learn FILE
/// --score FILE` prints for MLPerf Training v4.0 with the schedule of the evaluations known, each
/// configuration counted once. SlowShippedCalibration computes them again.
inline constexpr std::array<CalibrationFactors, 10> factors_by_blocks_seen{
    CalibrationFactors{.of_80 = 0.81, .of_95 = 1.12, .of_95_other = 1.12},
    CalibrationFactors{.of_80 = 0.35, .of_95 = 0.26, .of_95_other = 0.26},
    CalibrationFactors{.of_80 = 0.31, .of_95 = 0.33, .of_95_other = 0.33},
    CalibrationFactors{.of_80 = 0.34, .of_95 = 0.32, .of_95_other = 0.32},
    CalibrationFactors{.of_80 = 0.33, .of_95 = 0.34, .of_95_other = 0.34},
    CalibrationFactors{.of_80 = 0.34, .of_95 = 0.30, .of_95_other = 0.30},
    CalibrationFactors{.of_80 = 0.40, .of_95 = 0.68, .of_95_other = 0.68},
    CalibrationFactors{.of_80 = 0.46, .of_95 = 0.69, .of_95_other = 0.69},
    CalibrationFactors{.of_80 = 0.45, .of_95 = 0.71, .of_95_other = 0.71},
    CalibrationFactors{.of_80 = 0.47, .of_95 = 0.69, .of_95_other = 0.69}};

/// From 11 steps on the model looks for a warm-up, levels and drifts (steady.hpp), and for stalls
/// that were not seen (scenarios.hpp): nothing is calibrated. `seen` is at least 1.
template <std::size_t most>
constexpr CalibrationFactors shipped_calibration(
    const std::array<CalibrationFactors, most>& by_seen, std::size_t seen) {
  return seen > most ? CalibrationFactors{} : by_seen[seen - 1];
}

}  // namespace epochcast::forecast
