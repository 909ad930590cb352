// Levels of a series of steps: where they change, which one is the last, and what repeats.
#pragma once

#include <cstddef>
#include <variant>
#include <vector>

#include "src/forecast/run/prediction.hpp"
#include "src/forecast/run/step.hpp"

namespace epochcast::forecast {

/// The first index of each segment of equal level; the first segment starts at 0. Minimizes the sum
/// of squares in units of `noise` squared, plus 15·ln n for each segment, by PELT (Killick,
/// Fearnhead and Eckley 2012). The penalty is the one of Barrett et al. 2017 ("Virtual Machine
/// Warmup Blows Hot and Cold"), five times the Bayesian penalty, since step times are not
/// independent. `noise` is above 0. Empty if there are no values.
std::vector<std::size_t> level_starts(const std::vector<double>& values, double noise);

/// The standard deviation of the noise that remains without jumps and slow drifts. It is estimated
/// from the median of the absolute differences of neighboring values, so a few jumps do not matter.
/// 0 for fewer than two values.
double noise_of(const std::vector<double>& values);

/// The steps from the last jump to a new level on; all steps if there are fewer than 10,
/// no jump, fewer than 3 after it, or if the level occurred before. Returns a Refusal if fewer
/// steps follow the jump than precede it: times alone do not show how the run continues. The steps
/// do about equal work; there is at least one.
std::variant<std::vector<Step>, Refusal> last_level(const std::vector<Step>& steps);

/// The autocorrelation at a lag, per pair of values, so that a long lag counts like a short one; 0
/// if all values are equal or the lag is too long.
double autocorrelation(const std::vector<double>& values, std::size_t lag);

/// The period as a number of values, at least 2: the shortest lag that fits three times into the
/// series and whose autocorrelation is not below that of both neighboring lags, above 0.5 (a
/// quarter of the variance is explained by the value one period earlier) and above chance (3
/// standard errors). 0: no period. Quadratic in the number of values.
std::size_t period_of(const std::vector<double>& values);

}  // namespace epochcast::forecast
