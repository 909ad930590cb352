// The share of its FP32 peak that a chip can reach in ordinary kernels, from how it issues
// instructions.
#pragma once

#include "src/forecast/device/device.hpp"

namespace epochcast::device {

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

}  // namespace epochcast::device
