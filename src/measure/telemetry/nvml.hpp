// NVML, the management library of NVIDIA. It belongs to the driver, so it is opened at run time if
// it exists, not linked. Only src/measure/telemetry and src/measure/attempt/gpu.cpp, which reads
// what a GPU is, call it.
#pragma once

#include <dlfcn.h>

#include <string>

namespace epochcast::telemetry {

class Nvml {
 public:
  /// Opens the library and starts it; not open if either fails.
  explicit Nvml(const std::string& name = "libnvidia-ml.so.1")
      : handle_(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    open_ = handle_ != nullptr && call<>("nvmlInit_v2");
  }
  ~Nvml() {
    if (open_) {
      call<>("nvmlShutdown");
    }
    if (handle_ != nullptr) {
      dlclose(handle_);
    }
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  bool is_open() const { return open_; }

  /// False if the function is missing or fails. The arguments must have exactly the types of
  /// nvml.h.
  template <class... Arguments>
  bool call(const char* name, Arguments... arguments) const {
    constexpr int success = 0;
    const auto function = reinterpret_cast<int (*)(Arguments...)>(dlsym(handle_, name));
    return function != nullptr && function(arguments...) == success;
  }

 private:
  void* handle_;
  bool open_ = false;
};

// The few declarations of nvml.h that are used; NVML keeps them stable from driver to driver.
using NvmlDevice = struct nvmlDevice_st*;
struct NvmlMemory {
  unsigned long long total, free, used;
};
enum NvmlClock : unsigned { nvml_clock_sm = 1, nvml_clock_memory = 2 };

}  // namespace epochcast::telemetry
