#include "src/torch/device.hpp"

#include <fmt/format.h>
#include <malloc.h>

#include <limits>

#include <c10/core/impl/VirtualGuardImpl.h>

namespace epochcast {
namespace {

void require_cuda() {
  if (!at::hasCUDA()) {
    throw RunError("device cuda: this build's LibTorch has no CUDA; build the preset `cuda`, or ask for cpu");
  }
  if (torch::cuda::device_count() == 0) {
    throw RunError("device cuda: no GPU that CUDA can use (no driver, none allocated, or hidden by CUDA_VISIBLE_DEVICES)");
  }
}

}  // namespace

torch::Device open_device(const std::string& name) {
  const torch::Device device(name);
  if (device.is_cuda()) {
    guarded(require_cuda);
    // The first kernel tells whether this LibTorch was built for the card at all.
    guarded([&] { return torch::ones({1}, device).add_(1).item<float>(); });
  }
  return device;
}

void set_threads(int threads) {
  static const bool once = [] {
    at::set_num_interop_threads(1);
    return true;
  }();
  (void)once;
  at::set_num_threads(threads);
}

void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

torch::Tensor to_device(const torch::Tensor& tensor, const torch::Device& device, Procedure procedure) {
  if (device.is_cpu() || procedure == Procedure::lab) {
    return tensor.to(device);
  }
  return tensor.pin_memory().to(device, /*non_blocking=*/true);
}

c10::Event StepTimer::record() const {
  c10::Event event(device_.type(), c10::EventFlag::BACKEND_DEFAULT);
  event.record(c10::impl::VirtualGuardImpl(device_.type()).getStream(device_));
  return event;
}

void StepTimer::start() {
  if (!device_.is_cpu()) {
    started_.emplace(record());
  }
}

void StepTimer::stop() {
  if (!device_.is_cpu()) {
    pending_.push_back({steps_, std::move(*started_), record()});
  }
  ++steps_;
}

std::vector<DeviceTime> StepTimer::take() {
  std::vector<DeviceTime> times;
  while (!pending_.empty() && pending_.front().stop.query()) {
    const auto& [iteration, start, stop] = pending_.front();
    times.push_back({iteration, start.elapsedTime(stop) / 1000});
    pending_.pop_front();
  }
  return times;
}

RunError run_error_from(const c10::Error& error) {
  const std::string text = error.what_without_backtrace();
  const bool memory = dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr;
  return RunError((memory ? "out of memory on the device: " : "LibTorch: ") + text.substr(0, text.find('\n')));
}

}  // namespace epochcast
