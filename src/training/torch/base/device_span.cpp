#include "src/training/torch/base/device_span.hpp"

#include <c10/core/impl/VirtualGuardImpl.h>

namespace epochcast::libtorch {

c10::Event event_on(const torch::Device& device) {
  c10::Event event(device.type(), c10::EventFlag::BACKEND_DEFAULT);
  event.record(c10::impl::VirtualGuardImpl(device.type()).getStream(device));
  return event;
}

}  // namespace epochcast::libtorch
