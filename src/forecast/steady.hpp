// How a training goes once it goes evenly: the rate to extrapolate, and how well it is known.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "src/forecast/refusal.hpp"
#include "src/forecast/step.hpp"

namespace epochcast::forecast {

/// Rates are seconds a unit of work.
struct Steady {
  double rate = 0;         ///< At the end of what was measured.
  double rate_change = 0;  ///< A unit of work later (drift); 0 if there is none.
  double drift_work = 0;   ///< The work that the drift was seen over.

  // Scatter about the rate, of blocks of equal work.
  double block_work = 0;
  double block_deviation = 0;  ///< Standard deviation of a block's rate.
  double blocks = 0;           ///< Independent blocks that the rate is the mean of.
  double freedom = 0;          ///< Degrees of freedom of the deviation.

  // What the rate may be off by besides, as standard deviations; never negative.
  double doubt_below = 0;
  double doubt_above = 0;

  std::string classification = {};  ///< flat, warm-up, drifting or periodic.
  std::vector<std::string> reasons = {};
};

/// Finds the steady part of `steps`, at least one, all of them with finite times and some time.
///
/// The first step is never part of it. One step that stands apart from all the others (a stall, a
/// broken row) is not extrapolated either: contention comes and goes. Two or more do recur and
/// stay. Of the others, MSER cuts the warm-up off (in blocks of 5 from 50 steps on), PELT looks for
/// jumps after it, the mean is taken over whole periods, and a drift goes on for no longer than it
/// was seen. Below 10 steps the later half is taken: what fades (caches, clocks, allocation) fades
/// with time.
/// Refused where the level has jumped in the last half: a schedule or a throttled device, of which
/// times alone cannot tell how it goes on.
std::variant<Steady, Refusal> steady_state(const std::vector<Step>& steps);

}  // namespace epochcast::forecast
