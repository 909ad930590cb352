// Prediction intervals calibrated by the errors of earlier forecasts.
#pragma once

#include <vector>

#include "src/forecast/run/forecast.hpp"
#include "src/forecast/statistics/conformal_score.hpp"

namespace epochcast::forecast {

/// A forecast and its outcome.
struct PastForecast {
  Prediction total_s;
  double actual_s = 0;
  double weight = 1;  ///< Below 1: one of several runs that count as one.
};

/// The factors for the half-widths of the intervals.
struct CalibrationFactors {
  double of_80 = 1;
  double of_95 = 1;
};

/// Computes the factors by conformal_score. The score of a past forecast is its error divided by
/// its half-width on the side of the error; the factor is that of conformal_score. An interval
/// calibrated by this factor contains the next outcome with at least that probability if the
/// outcome is exchangeable with the past ones, even if the model is wrong.
CalibrationFactors calibration_from(const std::vector<PastForecast>& past);

/// The forecast with its intervals calibrated; no interval begins below spent_s, and the 95 %
/// interval holds the 80 % interval.
Forecast calibrated(Forecast forecast, const CalibrationFactors& factors);

}  // namespace epochcast::forecast
