// The rate at which a run goes on, from the units of work that it has done.
#pragma once

#include <cstddef>
#include <vector>

#include "src/forecast/run/step.hpp"

namespace epochcast::forecast {

/// A rate in seconds per unit of work, and its error.
struct UnitRate {
  double rate = 0;
  std::size_t used = 0;  ///< Of the units, the last ones that it is from.
  /// Standard errors of the mean rate of the work to come, as parts of `rate`: toward shorter times
  /// and toward longer ones.
  double below = 0;
  double above = 0;
};

/// Single steps are merged into so many blocks or more; so many units show their noise in their
/// later half alone.
inline constexpr std::size_t fewest_blocks = 10;

/// Steps merged into blocks of equal size, from fewest_blocks to twice as many less one; those that
/// are left over at the start are a part of the first. Fewer steps remain as they are.
std::vector<Step> in_blocks(const std::vector<Step>& steps);

/// The rate after these units (the model: forecast.hpp), and its error for `work` that is left.
/// There is at least one unit.
UnitRate unit_rate(const std::vector<Step>& units, double work);

}  // namespace epochcast::forecast
