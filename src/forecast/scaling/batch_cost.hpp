// The time of a step as a function of the batch size: a launch time that every batch pays once,
// plus a time per item.
#pragma once

#include <optional>
#include <vector>

namespace epochcast::forecast {

/// The time of a step at one batch size.
struct BatchTime {
  double batch = 0;   ///< Items; above 0.
  double step_s = 0;  ///< Above 0.
};

/// T(b) = launch_s + item_s b; neither coefficient is below 0.
struct BatchCost {
  double launch_s = 0;
  double item_s = 0;
  double smallest = 0;  ///< Smallest batch size that was measured.

  double step_s(double batch) const { return launch_s + item_s * batch; }

  /// The smallest batch size with a throughput of at least 90 % of 1 / item_s, which is the limit
  /// for large batches; never below the smallest measured size. std::nullopt if item_s is 0: within
  /// the measured sizes an item costs nothing.
  std::optional<double> efficient_batch() const;
};

/// Fits BatchCost by least squares of relative errors, so that small batches count as much as large
/// ones. std::nullopt for fewer than two sizes.
std::optional<BatchCost> batch_cost(const std::vector<BatchTime>& times);

/// The largest relative error of `cost` at the measured sizes.
double largest_error(const BatchCost& cost, const std::vector<BatchTime>& times);

}  // namespace epochcast::forecast
