// Prediction intervals calibrated by the errors of earlier forecasts.
#pragma once

#include <cstddef>
#include <vector>

#include "src/forecast/run/forecast.hpp"

namespace epochcast::forecast {

/// A forecast and its outcome.
struct PastForecast {
  Prediction total_s;
  double actual_s = 0;
  bool well_behaved = true;  ///< Forecast::well_behaved.
  double weight = 1;         ///< Below 1: one of several runs that count as one.
};

/// The factors for the half-widths of the intervals.
struct CalibrationFactors {
  double of_80 = 1;
  double of_95 = 1;        ///< Of a well-behaved run (Forecast::well_behaved),
  double of_95_other = 1;  ///< and of any other; from 1 on where these are told apart.
};

/// With fewer past forecasts, intervals remain unchanged.
inline constexpr std::size_t fewest_past_forecasts = 20;

/// What the next score does not exceed with at least the probability `level` if it is exchangeable
/// with these (split-conformal method: Vovk, Gammerman and Shafer 2005; Lei et al. 2018, section
/// 2.2): the ceil((n + 1)·level)-th smallest, of too few the largest. `scores` is not empty.
double conformal_score(std::vector<double> scores, double level);

/// Computes the factors by conformal_score. The score of a past forecast is its error divided by
/// its half-width on the side of the error; the factor is that of conformal_score. An interval
/// calibrated by this factor contains the next outcome with at least that probability if the
/// outcome is exchangeable with the past ones, even if the model is wrong.
CalibrationFactors calibration_from(const std::vector<PastForecast>& past);

/// The factors for a run of a new group (a benchmark, a submitter), learned from `groups` others.
/// The runs of one group resemble each other, so few groups say little about the next one, however
/// many runs they have: factors below 1, which promise more than the model does, count as `groups`
/// groups, and the model as three. Factors from 1 on are unchanged.
CalibrationFactors for_new_group(const CalibrationFactors& factors, std::size_t groups);

/// The forecast with its intervals calibrated; no interval begins below spent_s, and the 95 %
/// interval holds the 80 % interval.
Forecast calibrated(Forecast forecast, const CalibrationFactors& factors);

}  // namespace epochcast::forecast
