// Streams, events, random numbers and what else LibTorch asks of a CUDA device: one stream; an
// event passes SIMULATED_CUDA_LATENCY_MS (1) after it was recorded, so whoever waits for nothing
// reads nothing.
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <chrono>
#include <cstdlib>
#include <sstream>
#include <string>
#include <thread>

#include "tests/gpu/simulated_cuda/simulated.hpp"

namespace epochcast::simulated {
namespace {

using Clock = std::chrono::steady_clock;
const std::chrono::milliseconds latency(setting("SIMULATED_CUDA_LATENCY_MS", 1));
const c10::Device first_gpu(c10::kCUDA, 0);

std::atomic<Clock::time_point>& last_work() {
  static std::atomic<Clock::time_point> time = Clock::now();
  return time;
}

struct Event {
  Clock::time_point at;

  bool has_passed() const { return Clock::now() >= at + latency; }
};
Event& as_event(void* event) {
  return *static_cast<Event*>(event);
}

struct Guard final : c10::impl::DeviceGuardImplInterface {
  Guard() = default;
  explicit Guard(c10::DeviceType /*type*/) {}
  c10::DeviceType type() const override { return c10::kCUDA; }
  c10::Device exchangeDevice(c10::Device /*device*/) const override { return first_gpu; }
  c10::Device getDevice() const override { return first_gpu; }
  void setDevice(c10::Device device) const override {
    TORCH_CHECK(device.index() <= 0, "invalid device ordinal");
  }
  void uncheckedSetDevice(c10::Device /*device*/) const noexcept override {}
  c10::Stream getStream(c10::Device /*device*/) const override {
    return c10::Stream(c10::Stream::DEFAULT, first_gpu);
  }
  c10::Stream getDefaultStream(c10::Device device) const override { return getStream(device); }
  c10::Stream getStreamFromGlobalPool(c10::Device device, bool /*first*/) const override {
    return getStream(device);
  }
  c10::Stream exchangeStream(c10::Stream stream) const override { return stream; }
  c10::DeviceIndex deviceCount() const noexcept override { return 1; }
  void destroyEvent(void* event, c10::DeviceIndex /*device*/) const noexcept override {
    delete static_cast<Event*>(event);
  }
  void record(void** event, const c10::Stream& /*stream*/, c10::DeviceIndex /*device*/,
              c10::EventFlag /*flag*/) const override {
    if (*event == nullptr) {
      *event = new Event;
    }
    begin_work();
    as_event(*event).at = last_work();
  }
  void block(void* /*event*/, const c10::Stream& /*stream*/) const override {}
  bool queryEvent(void* event) const override {
    return event == nullptr || as_event(event).has_passed();
  }
  void synchronizeEvent(void* event) const override {
    refuse_in_capture("wait for an event");
    std::this_thread::sleep_until(as_event(event).at + latency);
  }
  bool queryStream(const c10::Stream& /*stream*/) const override {
    return Event{last_work()}.has_passed();
  }
  void synchronizeStream(const c10::Stream& /*stream*/) const override { wait_for_all(); }
  void synchronizeDevice(c10::DeviceIndex /*device*/) const override { wait_for_all(); }
  double elapsedTime(void* first, void* second, c10::DeviceIndex /*device*/) const override {
    TORCH_CHECK(queryEvent(first) && queryEvent(second), "CUDA error: device not ready");
    return std::chrono::duration<double, std::milli>(as_event(second).at - as_event(first).at)
        .count();
  }
};

struct Generator final : c10::GeneratorImpl {
  Generator() : GeneratorImpl(first_gpu, c10::DispatchKeySet(c10::DispatchKey::CUDA)) {}
  void set_current_seed(std::uint64_t seed) override { device_numbers().set_current_seed(seed); }
  void set_offset(std::uint64_t /*offset*/) override {}
  std::uint64_t get_offset() const override { return 0; }
  std::uint64_t current_seed() const override { return device_numbers().current_seed(); }
  std::uint64_t seed() override { return device_numbers().seed(); }
  void set_state(const c10::TensorImpl& state) override {
    device_numbers().unsafeGetGeneratorImpl()->set_state(state);
  }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override {
    return device_numbers().unsafeGetGeneratorImpl()->get_state();
  }
  GeneratorImpl* clone_impl() const override { return new Generator; }
};

}  // namespace

std::int64_t setting(const char* name, std::int64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoll(text);
}

int visible_gpus() {
  const auto all = setting("SIMULATED_CUDA_GPUS", 2);
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible == nullptr) {
    return int(all);
  }
  int count = 0;
  std::istringstream words(visible);
  for (std::string word; std::getline(words, word, ','); ++count) {
    if (const auto index = std::atoll(word.c_str()); index < 0 || index >= all) {
      break;  // as CUDA: the rest of the list does not count
    }
  }
  return count;
}

void begin_work() {
  last_work() = Clock::now();
}

void wait_for_all() {
  refuse_in_capture("wait for the device");
  std::this_thread::sleep_until(last_work().load() + latency);
}

at::Generator& device_numbers() {
  static auto* generator =
      new at::Generator(at::make_generator<at::CPUGeneratorImpl>(c10::default_rng_seed_val));
  return *generator;
}

}  // namespace epochcast::simulated

/// LibTorch asks its registry for this name.
struct CUDAHooks final : at::CUDAHooksInterface {
  explicit CUDAHooks(at::CUDAHooksArgs /*none*/) {}
  void init() const override {}
  const at::Generator& getDefaultGenerator(c10::DeviceIndex /*device*/) const override {
    static auto* generator =
        new at::Generator(at::make_generator<epochcast::simulated::Generator>());
    return *generator;
  }
  at::Device getDeviceFromPtr(void* /*address*/) const override {
    return epochcast::simulated::first_gpu;
  }
  bool isPinnedPtr(const void* address) const override {
    return epochcast::simulated::is_pinned(address);
  }
  at::Allocator* getPinnedMemoryAllocator() const override {
    return &epochcast::simulated::pinned_memory();
  }
  at::Allocator* getCUDADeviceAllocator() const override {
    return &epochcast::simulated::device_memory();
  }
  bool hasCUDA() const override { return getNumGPUs() > 0; }
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return hasCUDA(); }
  bool hasPrimaryContext(c10::DeviceIndex /*device*/) const override { return true; }
  c10::DeviceIndex deviceCount() const override { return c10::DeviceIndex(getNumGPUs()); }
  c10::DeviceIndex current_device() const override { return 0; }
  c10::DeviceIndex getCurrentDevice() const override { return 0; }
  int getNumGPUs() const override { return epochcast::simulated::visible_gpus(); }
  long versionCuDNN() const override { return 0; }
  bool supportsBFloat16ConvolutionWithCuDNNv8() const override {
    return epochcast::simulated::setting("SIMULATED_CUDA_SM", 80) >= 80;
  }
  void deviceSynchronize(c10::DeviceIndex /*device*/) const override {
    epochcast::simulated::wait_for_all();
  }
};

namespace at {
REGISTER_CUDA_HOOKS(CUDAHooks)
}
namespace c10::impl {
using SimulatedCudaGuard = epochcast::simulated::Guard;
C10_REGISTER_GUARD_IMPL(CUDA, SimulatedCudaGuard)
}  // namespace c10::impl
