#include "src/train/gpu.hpp"

#include <dlfcn.h>

#include <array>
#include <memory>

#include "src/core/text.hpp"

namespace epochcast::train {
namespace {

// The few declarations of nvml.h that are used; NVML keeps them stable from driver to driver.
using Device = struct nvmlDevice_st*;
struct Memory {
  unsigned long long total, free, used;
};
enum ClockType : unsigned { clock_sm = 1, clock_memory = 2 };
constexpr int success = 0;

class Library {
 public:
  explicit Library(const std::string& name) : handle_(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    open_ = handle_ != nullptr && call<>("nvmlInit_v2");
  }
  ~Library() {
    if (open_) {
      call<>("nvmlShutdown");
    }
    if (handle_ != nullptr) {
      dlclose(handle_);
    }
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  bool is_open() const { return open_; }

  /// False if the function is missing or fails.
  template <class... Arguments>
  bool call(const char* name, Arguments... arguments) const {
    const auto function = reinterpret_cast<int (*)(Arguments...)>(dlsym(handle_, name));
    return function != nullptr && function(arguments...) == success;
  }

 private:
  void* handle_;
  bool open_ = false;
};

Gpu read_gpu(const Library& nvml, Device device) {
  Gpu gpu;
  std::array<char, 96> text{};
  const auto length = static_cast<unsigned>(text.size());
  if (nvml.call("nvmlDeviceGetName", device, text.data(), length)) {
    gpu.name = text.data();
  }
  if (nvml.call("nvmlDeviceGetUUID", device, text.data(), length)) {
    gpu.uuid = text.data();
  }
  if (nvml.call("nvmlSystemGetDriverVersion", text.data(), length)) {
    gpu.driver = text.data();
  }
  if (Memory memory{}; nvml.call("nvmlDeviceGetMemoryInfo", device, &memory)) {
    gpu.memory_bytes = static_cast<std::int64_t>(memory.total);
  }
  int major = 0;
  int minor = 0;
  if (nvml.call("nvmlDeviceGetCudaComputeCapability", device, &major, &minor)) {
    gpu.architecture = "sm_" + std::to_string(major) + std::to_string(minor);
  }
  unsigned value = 0;
  if (nvml.call("nvmlDeviceGetMaxClockInfo", device, clock_sm, &value)) {
    gpu.clock_mhz = value;
  }
  if (nvml.call("nvmlDeviceGetMaxClockInfo", device, clock_memory, &value)) {
    gpu.memory_clock_mhz = value;
  }
  if (nvml.call("nvmlDeviceGetPowerManagementLimit", device, &value)) {
    gpu.power_limit_w = value / 1000.0;  // NVML reports milliwatts
  }
  return gpu;
}

}  // namespace

std::vector<Gpu> read_gpus(const std::string& library) {
  const Library nvml(library);
  unsigned count = 0;
  if (!nvml.is_open() || !nvml.call("nvmlDeviceGetCount_v2", &count)) {
    return {};
  }
  std::vector<Gpu> gpus;
  for (unsigned i = 0; i < count; ++i) {
    if (Device device = nullptr; nvml.call("nvmlDeviceGetHandleByIndex_v2", i, &device)) {
      gpus.push_back(read_gpu(nvml, device));
    }
  }
  return gpus;
}

const Gpu* first_visible(const std::vector<Gpu>& gpus, const std::string& cuda_visible_devices) {
  const auto first =
      std::string(trim(cuda_visible_devices.substr(0, cuda_visible_devices.find(','))));
  const auto index = first.empty() ? 0 : parse_integer(first).value_or(-1);
  if (index >= 0) {
    return index < std::ssize(gpus) ? &gpus[static_cast<std::size_t>(index)] : nullptr;
  }
  for (const auto& gpu : gpus) {
    if (gpu.uuid.starts_with(first)) {
      return &gpu;
    }
  }
  return nullptr;
}

}  // namespace epochcast::train
