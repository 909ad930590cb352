// Time spans on a device, measured between events in its streams.
#pragma once

#include <c10/core/Event.h>

#include "src/training/torch/base/torch.hpp"

namespace epochcast::libtorch {

/// Records an event in the current stream of `device`, which must not be a CPU.
c10::Event event_on(const torch::Device& device);

struct DeviceSpan {
  c10::Event start;
  c10::Event stop;

  /// Whether both events have passed; never waits.
  bool is_over() const { return start.query() && stop.query(); }
  /// The length of the span in seconds. Call it only after the span is over.
  double seconds() const { return start.elapsedTime(stop) / 1000; }
};

}  // namespace epochcast::libtorch
