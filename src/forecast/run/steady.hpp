// The steady state of a training: the rate to extrapolate, and its uncertainty.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "src/forecast/run/noise.hpp"
#include "src/forecast/run/prediction.hpp"
#include "src/forecast/run/prior_constants.hpp"
#include "src/forecast/run/step.hpp"

namespace epochcast::forecast {

/// A hypothesis: another rate at which the rest of the run may go. Rates are in seconds per unit of
/// work.
struct RateHypothesis {
  double rate = 0;
  double rate_change = 0;       ///< Per unit of work, to the end of the run.
  double deviation = 0;         ///< Standard deviation of the rate,
  double change_deviation = 0;  ///< and of the change; the two errors are independent.
  double since = 0;  ///< Work from where the rate is `rate` to the end of what was measured.
  bool change_stops = false;  ///< At any time until the end of the run, all equally likely.
  /// AR(1) errors in continuous work (an Ornstein-Uhlenbeck process about `rate`): the standard
  /// deviation of the change over a unit of work,
  double diffusion = 0;
  double reversion = 0;      ///< the share of the error that is lost with it, for small units,
  double initial_error = 0;  ///< and the error at the end of what was measured.
  double probability = 0;    ///< Less if all together leave too little for the steady rate.
};

/// Rates are in seconds per unit of work.
struct Steady {
  double rate = 0;         ///< At the end of the measurement.
  double rate_change = 0;  ///< Change of the rate per unit of work (drift); 0 if there is none.
  double drift_work = 0;   ///< The work over which the drift was measured.
  /// The number of steps at the end that the rate is from; those before are warm-up, another level,
  /// or too few for whole blocks.
  std::size_t steps = 0;

  // Noise: residuals of blocks of equal work about the rate.
  double block_work = 0;
  std::vector<Deviation> deviations = {};  ///< Of a block's rate.
  double blocks = 0;                       ///< Number of independent blocks in the mean rate.

  // A possible bias of the rate, downward and upward, as standard deviations; never negative.
  double bias_below = 0;
  double bias_above = 0;
  /// The hypotheses besides `rate` (hypotheses.hpp).
  std::vector<RateHypothesis> alternatives = {};

  /// Change of the level each time that the measured work doubles, as a fraction.
  double level_change = forecast::level_change;

  /// The posterior probability of a constant level, rather than of AR(1) errors or a linear trend
  /// (trend_models.hpp).
  double constant = 1;

  /// flat, warm-up (the first step was slower by three deviations), drifting or periodic.
  std::string classification = {};
  std::vector<std::string> reasons = {};
};

/// Finds the steady part of `steps`: at least one step, all with finite times and a total time
/// above 0.
///
/// The first step is never part of it; only if the second is all that is known and differs from it
/// by no more than machines do, their difference goes on by a small part. One step, or two in a
/// row, far from all others, which agree (a stall, a damaged row), is not extrapolated either:
/// contention comes and goes. Whether it recurs, or begins a new level if it is last, is among
/// `alternatives`, unless it is the second step. Two or more such do recur and are kept. Of up to
/// four steps, until the last three agree, `alternatives` has the levels of those before. From two
/// remaining steps on, errors may be autocorrelated, or steps have a linear trend
/// (trend_models.hpp). From 10 on, unless all rise steadily, MSER removes the warm-up (in blocks of
/// 5 steps or more from 50 on), PELT looks for jumps after it, the mean is taken over whole
/// periods, a drift continues for as long as it was measured, and if the level has jumped in the
/// last half, because of a schedule or a throttled device, a Refusal is returned: times alone do
/// not show how the run continues. With fewer, the later half is used: transient effects (caches,
/// clocks) fade with time.
std::variant<Steady, Refusal> steady_state(const std::vector<Step>& steps);

}  // namespace epochcast::forecast
