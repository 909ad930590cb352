// The rates of a device in the arithmetic that a workload uses: as specified by the vendor, with
// the share of the peak that ordinary kernels can reach, and as measured.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/forecast/device/device.hpp"

namespace epochcast::device {

/// The arithmetic and memory traffic of the operators of one training step, counted rather than
/// timed. 0: not counted.
struct CountedWork {
  double flops = 0;              ///< FLOPs of matrix products and convolutions together.
  double convolution_flops = 0;  ///< The part of `flops` in convolutions.
  double bytes = 0;              ///< Tensor bytes that those operators read and write.
  bool whole() const { return flops > 0 && bytes > 0; }
};

/// Rates of the two kinds of operators and of memory, per second.
struct Rates {
  double product_flop_s = 0;
  double convolution_flop_s = 0;
  double byte_s = 0;
  std::string arithmetic = {};  ///< The figure of the convolutions: "tf32".
  bool assumed = false;         ///< The datasheet has no figure for the precision.
};

/// The time of the workload at these rates, in seconds: F/P + C/Q + B/W, arithmetic and memory one
/// after the other. The memory traffic of the counted operators mostly overlaps with their
/// arithmetic. But the uncounted operators between them (activations, normalization) read and write
/// the same tensors again and compute almost nothing, so the bytes represent their traffic.
double time_at_s(const Rates& rates, const CountedWork& work);

/// The time on `to` divided by the time on `from`, by time_at_s.
double ratio_of(const Rates& from, const Rates& to, const CountedWork& work);

/// The geometric mean of the ratios of arithmetic and of memory: without bytes that were counted it
/// is not known which of them matters more. `work` says only how much of the arithmetic is
/// convolutions: all, if nothing was counted.
double geometric_ratio(const Rates& from, const Rates& to, const CountedWork& work);

/// The rates from the datasheet: the peak rate of the precision, times issue_share and
/// power_derate, and the bandwidth. Where the datasheet has no peak of 16 bits, it is as many times
/// the FP32 peak as on the median device of the architecture; on an architecture without, 16 bits
/// are computed in FP32. std::nullopt if a figure is not known.
std::optional<Rates> specified_rates(const Device& device, std::string_view precision,
                                     const std::vector<Device>& database);

/// The measured rates (the figures achieved_*), in the precision used. If the rate of convolutions
/// was not measured, `convolution_flop_s` is 0, and convolutions run at the rate of matrix
/// products. std::nullopt if matrix products or memory were not measured.
std::optional<Rates> achieved_rates(const Device& device, std::string_view precision);

/// Convolutions are compared with convolutions: if their rate is missing on one device, they run at
/// the rate of matrix products on both.
void agree_on_convolutions(Rates& a, Rates& b);

/// The fraction of its peak that a device can sustain within its power limit. Chips of one
/// architecture need about the same energy per operation at the clocks they are designed for. A
/// card whose watts per FP32 TFLOPS are below the median of the others must therefore lower its
/// clock under load. The power of a clocked circuit is proportional to f·V²: to f if the voltage
/// cannot fall further, to f³ if the voltage follows the clock, and to f² between the two. So the
/// clock, and with it the rate, is proportional to the square root of the available power. 1 if the
/// device database has no other device of the architecture, or if the power is sufficient.
double power_derate(const Device& device, const std::vector<Device>& database);

/// Kernels issue about 36 integer instructions (addresses, loops) with every 100 floating-point
/// ones (NVIDIA, Turing GPU Architecture, 2018, "Turing SM"). A chip whose FP32 lanes take as many
/// instructions a clock as it can issue has no slot left for them, and sustains 100 / 136 of its
/// peak: Maxwell, Pascal, GA10x, Ada, Hopper, Blackwell. On Volta, Turing and the A100 the FP32
/// lanes take every second slot, and the others are issued beside them: the share is 1. Kepler has
/// more lanes than slots, and the MI300 reaches its peak by two operations an instruction. 1 for a
/// chip that is not known, and for other precisions than FP32: one tensor or matrix instruction
/// does many operations.
double issue_share(const Device& device, std::string_view precision);

/// FP32 operations that one multiprocessor of the device's chip does a clock; 0 if it is not known.
double fp32_lanes(const Device& device);

/// How many years lie between two devices: between the releases of their chips, 4 where one is not
/// known. Devices that differ in more are further apart: two years if the arithmetic is of another
/// kind (tensor cores, or none), four each if the makers differ or a figure is assumed. These
/// additions are chosen; no measurement at hand shows them.
double years_between(const Device& a, const Rates& rates_a, const Device& b, const Rates& rates_b);

}  // namespace epochcast::device
