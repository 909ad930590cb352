// Where the level of a series jumps.
#pragma once

#include <cstddef>
#include <vector>

namespace epochcast::forecast {

/// The first index of each stretch of equal level, 0 first: the segmentation with the least sum of
/// squares in units of `noise` squared plus 15·ln n for each stretch. PELT (Killick, Fearnhead and
/// Eckley 2012) finds it; the penalty is that of Barrett et al. 2017 ("Virtual Machine Warmup Blows
/// Hot and Cold"), five times the Bayesian one, since times of steps are not independent.
/// `noise` is above 0. Nothing for no values.
std::vector<std::size_t> level_starts(const std::vector<double>& values, double noise);

/// The standard deviation that neighbours differ by: of what is left when levels and slow drifts
/// are taken away. From the median of |differences|, so a few jumps do not count; 0 for less than
/// two values.
double noise_of(const std::vector<double>& values);

}  // namespace epochcast::forecast
