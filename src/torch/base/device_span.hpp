// Stretches of a device's own time, between events in its streams.
#pragma once

#include <c10/core/Event.h>

#include "src/torch/base/torch.hpp"

namespace epochcast::libtorch {

/// An event in the current stream of `device`, which is no CPU.
c10::Event event_on(const torch::Device& device);

struct DeviceSpan {
  c10::Event start;
  c10::Event stop;

  /// Whether both have passed; never waits.
  bool is_over() const { return start.query() && stop.query(); }
  /// Once it is over.
  double seconds() const { return start.elapsedTime(stop) / 1000; }
};

}  // namespace epochcast::libtorch
