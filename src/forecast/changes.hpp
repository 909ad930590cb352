// Where the level of a series jumps.
#pragma once

#include <cstddef>
#include <vector>

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

}  // namespace epochcast::forecast
