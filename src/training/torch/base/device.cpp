#include "src/training/torch/base/device.hpp"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "src/training/torch/base/cuda_library.hpp"

namespace epochcast::libtorch {
namespace {

void require_cuda() {
  const auto& library = cuda_library();
  if (torch::cuda::device_count() == 0) {
    throw RunError(
        fmt::format("device cuda: no GPU that CUDA can use: {} (none is allocated, "
                    "CUDA_VISIBLE_DEVICES hides it, or the driver does not fit this LibTorch: "
                    "docs/howto/install.md)",
                    library.why_no_gpu()));
  }
}

}  // namespace

torch::Device open_device(const std::string& name) {
  const torch::Device device(name);
  if (device.is_cuda()) {
    guarded(require_cuda);
    // The first kernel fails if this LibTorch was not built for the GPU.
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

std::int64_t peak_device_memory_bytes(const torch::Device& device) {
  return device.is_cuda() ? cuda_library().peak_reserved_bytes(device) : 0;
}

void PeakMemory::count_step() {
  if (steps_with_trials_ > 0 && --steps_with_trials_ == 0) {
    of_trials_bytes_ = bytes();
    cuda_library().forget_peak(device_);
  }
}

void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

void map_large_blocks() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

void return_freed_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

torch::Tensor to_device(const torch::Tensor& tensor, const torch::Device& device,
                        Procedure procedure) {
  if (device.is_cpu() || procedure == Procedure::reference) {
    return tensor.to(device);
  }
  return tensor.pin_memory().to(device, /*non_blocking=*/true);
}

void StepTimer::start() {
  if (!device_.is_cpu()) {
    started_.emplace(event_on(device_));
  }
}

void StepTimer::stop(std::vector<DeviceSpan> exchanges) {
  if (!device_.is_cpu()) {
    pending_.push_back({steps_, {std::move(*started_), event_on(device_)}, std::move(exchanges)});
  }
  ++steps_;
}

bool StepTimer::Pending::is_over() const {
  return step.is_over() && std::ranges::all_of(exchanges, &DeviceSpan::is_over);
}

std::vector<train::DeviceTime> StepTimer::take() {
  constexpr std::ptrdiff_t most_ahead = 2;  // so the device always has a whole step to do
  std::vector<train::DeviceTime> times;
  for (; !pending_.empty(); pending_.pop_front()) {
    const auto& [iteration, step, exchanges] = pending_.front();
    if (std::ssize(pending_) > most_ahead) {
      step.stop.synchronize();
    }
    if (!pending_.front().is_over()) {
      break;
    }
    auto& time =
        times.emplace_back(train::DeviceTime{.iteration = iteration, .seconds = step.seconds()});
    for (const auto& exchange : exchanges) {
      time.gradient_sync_wait_s += exchange.seconds();
    }
  }
  return times;
}

void throw_as_run_error(const c10::Error& error) {
  const std::string text = error.what_without_backtrace();
  // The host allocator has no exception type of its own for this: "[enforce fail at ...]
  // DefaultCPUAllocator: can't allocate ..."
  if (const auto at = text.find("DefaultCPUAllocator: "); at != std::string::npos) {
    throw OutOfMemory("out of memory on the host: " + text.substr(at, text.find('\n', at) - at));
  }
  const auto first_line = text.substr(0, text.find('\n'));
  // What CUDA's libraries cannot get for themselves has no type of its own either: "CUDA error: out
  // of memory", CUBLAS_STATUS_ALLOC_FAILED, CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED.
  const auto says = [&](const char* words) { return text.find(words) != std::string::npos; };
  if (dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr || says("out of memory") ||
      says("_ALLOC_FAILED") || says("_ALLOCATION_FAILED")) {
    throw OutOfMemory("out of memory on the device: " + first_line);
  }
  throw RunError("LibTorch: " + first_line);
}

c10::Event event_on(const torch::Device& device) {
  c10::Event event(device.type(), c10::EventFlag::BACKEND_DEFAULT);
  event.record(c10::impl::VirtualGuardImpl(device.type()).getStream(device));
  return event;
}

}  // namespace epochcast::libtorch
