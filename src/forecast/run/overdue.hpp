// A forecast of a run that goes on, at a later moment than the last step it was made from.
#pragma once

#include "src/forecast/run/forecast.hpp"

namespace epochcast::forecast {

/// What was last seen of a run: a step, or the end of an epoch. In epochs; a run whose length is
/// known in steps alone is one epoch.
struct Observation {
  double done = 0;    ///< Earlier attempts included.
  double epochs = 0;  ///< Of the whole run.
  double at_s = 0;    ///< When it was seen.
  /// Until it is seen again: at the next step that is reported. The end of an epoch always is.
  double spacing = 1;
};

/// How much later than in `forecast` the run is at `now_s`: its last observation came so much
/// later, or its next one has not come although it was expected. A step that has not ended takes at
/// least as long as it has lasted. 0 for a run that is not overdue. All times are on the clock of
/// the forecast.
double overdue_s(const Forecast& forecast, const Observation& seen, double now_s);

/// `forecast` with its total and the ends of its intervals moved by overdue_s().
Forecast shifted_if_overdue(Forecast forecast, const Observation& seen, double now_s);

}  // namespace epochcast::forecast
