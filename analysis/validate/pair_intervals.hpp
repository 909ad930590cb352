// Intervals of a forecast from one device to another that are learned from other pairs of devices.
#pragma once

#include <optional>
#include <vector>

#include "analysis/validate/device_methods.hpp"

namespace epochcast::analysis {

/// A value with the weight that it has in a quantile.
struct WeightedValue {
  double value = 0;
  double weight = 1;
};

/// The least of the values that, with all smaller ones, has the share `probability` of the weight.
/// Throws std::logic_error for no values.
double weighted_quantile(std::vector<WeightedValue> values, double probability);

/// The method with both intervals of each answer stretched, in logarithms, by the 80 and 95 %
/// quantiles of error / half-width on all other pairs of devices, in both directions; each pair has
/// the same weight, since the errors of one pair are of one kind. Nothing if the method has no
/// intervals, or if fewer than three pairs were answered: one other pair does not show how pairs
/// differ.
std::optional<Method> learnt_from_other_pairs(const Method& method,
                                              const std::vector<DeviceQuestion>& questions);

}  // namespace epochcast::analysis
