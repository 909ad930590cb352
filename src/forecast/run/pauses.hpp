// What lies between the steps of a run: evaluations, checkpoints, and all else after an epoch.
#pragma once

#include <string>
#include <vector>

#include "src/forecast/run/forecast.hpp"

namespace epochcast::forecast {

struct Pauses {
  double seconds = 0;  ///< Of all, those that were seen included.
  /// Standard deviations of `seconds`, toward shorter and longer times.
  double below_s = 0;
  double above_s = 0;
  bool known = true;  ///< Some were seen, or their schedule is stated.
  std::vector<std::string> reasons = {};
};

/// The number of epochs of this attempt that the forecast covers.
double epochs_asked(const RunSeries& series);

/// The work of this attempt; 0 if it is not known.
double series_work(const RunSeries& series);

/// The pauses of the whole series. `rate`: seconds per unit of work. Pauses without a schedule,
/// seen or stated, take the mean of those seen, without a first one that was far longer. Those of a
/// schedule that were not seen yet take Schedule::unseen of the work between two, log-normal.
Pauses pauses_of(const RunSeries& series, double rate);

}  // namespace epochcast::forecast
