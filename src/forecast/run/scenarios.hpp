// The scenarios of the remaining work, one for each hypothesis, and how long each of them takes.
#pragma once

#include <vector>

#include "src/forecast/run/mixture.hpp"
#include "src/forecast/run/steady.hpp"

namespace epochcast::forecast {

/// The time of `work` that follows `measured_work` (both above 0, or no work is left), as the
/// steady rate has it: the sum of the rate, and of a drift that continues for as much work as it
/// was measured over.
double seconds_of_rest(double work, const Steady& steady);

/// The time under each hypothesis: at the steady rate, and at each of steady.alternatives, as
/// components of the mixture without the noise of steps. A drift may equally well stop at once, or
/// go twice as far. The level may change once each time that the work doubles (level_change), under
/// an alternative once. The alternatives have no more than most_alternatives of the probability
/// together.
std::vector<Component> rest_scenarios(double work, double measured_work, const Steady& steady);

/// The result of rest_scenarios, if `epochs_left` of the steady rate may also stall as epochs of
/// public training logs do (stalls_alpha, stalls_beta, stalls_exponent), and none of `epochs_seen`
/// did.
std::vector<Component> with_unseen_stalls(std::vector<Component> scenarios, double epoch_s,
                                          double epochs_seen, double epochs_left);

}  // namespace epochcast::forecast
