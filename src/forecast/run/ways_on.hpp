// The ways in which the remaining work may go on, and what each of them takes.
#pragma once

#include <vector>

#include "src/forecast/run/mixture.hpp"
#include "src/forecast/run/steady.hpp"

namespace epochcast::forecast {

/// The time of `work` that follows `measured_work` (both above 0, or no work is left), as the
/// steady rate has it: the sum of the rate, and of a drift that continues for as much work as it
/// was measured over.
double seconds_of_rest(double work, const Steady& steady);

/// The same time as the steady rate has it, and as each other rate has it, as distributions without
/// the scatter of steps. A drift may equally well stop at once, or go twice as far. The level may
/// change once each time that the work doubles (level_change). However much is possible besides it,
/// the steady rate keeps a quarter of the probability.
std::vector<Component> ways_on(double work, double measured_work, const Steady& steady);

/// The result of ways_on, if `epochs_left` of the steady rate may also stall as epochs of public
/// training logs do (stalls_alpha, stalls_beta, stalls_exponent), and none of `epochs_seen` did.
std::vector<Component> with_unseen_stalls(std::vector<Component> ways, double epoch_s,
                                          double epochs_seen, double epochs_left);

}  // namespace epochcast::forecast
