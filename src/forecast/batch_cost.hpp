// What a batch costs by its size: launching, which every batch pays once, and so much an item.
#pragma once

#include <optional>
#include <vector>

namespace epochcast::forecast {

/// A step at one batch size.
struct BatchTime {
  double batch = 0;   ///< Items; above 0.
  double step_s = 0;  ///< Above 0.
};

/// T(b) = launch_s + item_s b; neither below 0.
struct BatchCost {
  double launch_s = 0;
  double item_s = 0;
  double smallest = 0;  ///< Size that was measured.

  double step_s(double batch) const { return launch_s + item_s * batch; }

  /// From which size on the throughput is 90 % of 1 / item_s, which no size exceeds; never
  /// below the smallest that was measured. Nothing if an item costs nothing within what was
  /// measured.
  std::optional<double> efficient_batch() const;
};

/// By least squares of relative errors, so that small batches count as much as large ones. Nothing
/// for fewer than two sizes.
std::optional<BatchCost> batch_cost(const std::vector<BatchTime>& times);

/// Largest relative error of `cost` at the sizes measured.
double largest_error(const BatchCost& cost, const std::vector<BatchTime>& times);

}  // namespace epochcast::forecast
