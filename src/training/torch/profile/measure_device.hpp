// What a device achieves on the three things that training is made of: matrix products,
// convolutions and memory traffic, in every precision it can compute; of several CPUs also what
// waking their threads costs. No LibTorch type appears here.
#pragma once

#include <cstdint>
#include <string>

#include "src/base/core/fields.hpp"
#include "src/base/core/quantity.hpp"
#include "src/forecast/device/device.hpp"

namespace epochcast::libtorch {

struct MeasureOptions {
  std::string device = "cpu";
  std::int64_t threads = 0;
  Seconds budget = {5};
};
constexpr auto fields_of(Tag<MeasureOptions>) {
  return FieldTable{
      Field{"device", "1", "What to measure", &MeasureOptions::device, "cpu|cuda"},
      Field{"threads", "1", "CPU threads (0: what the allocation gave)", &MeasureOptions::threads,
            ">=0"},
      Field{"budget", "s", "Time for all measurements together", &MeasureOptions::budget, ">0"},
  };
}

/// Measures the device and describes it like a file of the device database: rates are the median of
/// repeats (a card that reaches its power limit does so within milliseconds); name, memory, clock
/// and power limit come from the driver or /proc. The result omits a precision that the device does
/// not support; if other programs kept the CPUs busy, the rates are marked as not checked.
/// `threads` of a CPU must be set. Throws RunError if the device cannot be used.
device::Device measure_device(const MeasureOptions& options);

}  // namespace epochcast::libtorch
