// How far a forecast by a fitted law may be off: all laws of the time of a step have the same
// prior, weigh their rivals alike and have intervals of Student's t.
#pragma once

#include <vector>

#include "src/forecast/statistics/prediction.hpp"

namespace epochcast::forecast {

/// Of the logarithm of a time, about a law.
struct LawError {
  double variance = 0;
  double freedom = 0;  ///< Degrees of freedom of the variance.
};

/// From the sum of the squares of `count` errors, in logarithms, as if law_freedom more had been
/// measured that were off by law_deviation (prior_constants.hpp).
LawError law_error(double squares, double count);

/// Another law that fits the same measurements.
struct RivalLaw {
  double log_ratio = 0;  ///< Of what it gives to what the best law gives.
  double variance = 0;   ///< LawError::variance.
};

/// The mean squared distance of the rivals from the best law, in logarithms, each weighted by how
/// well it fits: few measurements do not decide between laws. 0 without rivals.
double disagreement(const std::vector<RivalLaw>& rivals);

/// `value` with intervals by Student's t: its logarithm has the standard deviation `deviation`,
/// with `freedom` degrees of freedom.
Prediction law_prediction(double value, double deviation, double freedom);

}  // namespace epochcast::forecast
