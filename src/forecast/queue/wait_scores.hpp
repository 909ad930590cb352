// Forecasts of past waits against what they were: how wrong a method is, and intervals that are
// calibrated by it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "src/forecast/statistics/prediction.hpp"

namespace epochcast::queue {

/// The median and the 80 % interval of draws of a wait, as wide for any number of draws; the upper
/// end is a second later, since the accounting counts whole ones.
forecast::Prediction wait_of_draws(const std::vector<double>& draws_s);

/// A wait that was forecast from what was known at its beginning.
struct PastWait {
  forecast::Prediction forecast_s;  ///< As the method made it: median and 80 % interval.
  double actual_s = 0;
  double eligible_s = 0;  ///< When the wait began ...
  double started_s = 0;   ///< ... and when its length became known.
};

/// How good the forecasts of a method were, with intervals calibrated only by waits that had ended
/// when each was made.
struct MeasuredError {
  std::size_t n = 0;
  std::size_t inside = 0;     ///< In their 80 % interval.
  double median_error_s = 0;  ///< Median of |forecast - actual|.
  double mean_score_s = 0;    ///< Mean interval score; lower is better.
};

/// `wait_s` with each end of its interval moved so far that 10 % of the past waits would have been
/// beyond theirs, and the median so far that half would have (conformalized quantiles, Romano,
/// Patterson and Candes 2019; scores are distances in units of half the interval's width and
/// `resolution_s`). Unchanged with fewer than forecast::fewest_past_forecasts past waits.
forecast::Prediction calibrated(const forecast::Prediction& wait_s,
                                const std::vector<PastWait>& past, double resolution_s);

/// `past` in the order of eligible_s. The interval score is that of Gneiting and Raftery (2007):
/// the width, and 2/0.2 times the distance of a wait outside.
MeasuredError measured_error(const std::vector<PastWait>& past, double resolution_s);
/// Of forecasts whose intervals are calibrated already.
MeasuredError measured_error(const std::vector<PastWait>& past);

/// "in 34 of 40 past waits; median error 12s", or that it was not measured.
std::string error_text(const MeasuredError& error);

}  // namespace epochcast::queue
