// How fast a device works, in the arithmetic a workload really uses: as its maker says, and as it
// was measured.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "src/device/device.hpp"

namespace epochcast::device {

/// What the operators of one training step compute, counted and not timed. 0: not counted.
struct CountedWork {
  double flops = 0;              ///< Of matrix products and convolutions together.
  double convolution_flops = 0;  ///< Of which convolutions.
  double bytes = 0;              ///< Tensors that those operators read and write.
  bool whole() const { return flops > 0 && bytes > 0; }
};

/// Rates for the two kinds of operators and for memory.
struct Rates {
  double product_flop_s = 0;
  double convolution_flop_s = 0;
  double byte_s = 0;
};

/// The work at these rates: F/P + C/Q + B/W, arithmetic and memory one after the other. The
/// operators' own traffic mostly hides after their arithmetic, but the uncounted operators between
/// them (activations, normalisation) read and write the same tensors again and compute nearly
/// nothing, so the bytes stand for theirs.
double time_at_s(const Rates& rates, const CountedWork& work);

/// Time on `to` over time on `from`. By time_at_s where the work was counted; else the geometric
/// mean of the ratios of arithmetic and of memory, since nothing says which of them matters more.
double ratio_of(const Rates& from, const Rates& to, const CountedWork& work);

/// From the datasheet: the peak of the precision, times power_derate, and the bandwidth. Nothing
/// where a figure is not known.
std::optional<Rates> specified_rates(const Device& device, std::string_view precision,
                                     const std::vector<Device>& database);

/// As measured (the figures achieved_*), in the precision used. Convolutions run at the rate of
/// matrix products where theirs was not measured (0 in `convolution_flop_s` says so). Nothing if
/// matrix products or memory were not measured.
std::optional<Rates> achieved_rates(const Device& device, std::string_view precision);

/// The share of its peak that a device's power limit lets it sustain. Chips of one architecture
/// need about the same energy for an operation at the clocks they are made for; a card whose watts
/// per FP32 TFLOPS are below the median of the others must therefore clock down under load. The
/// power of a clocked circuit goes with f·V²: with f where the voltage cannot fall further, with f³
/// where the voltage follows the clock; between the two, with f². So the clock, and the rate, go
/// with the root of the power there is. 1: no other device of the architecture in the device
/// database, or power enough.
double power_derate(const Device& device, const std::vector<Device>& database);

}  // namespace epochcast::device
