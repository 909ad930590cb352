// NVML, the management library of NVIDIA. Only src/measure/telemetry and
// src/measure/attempt/gpu.cpp, which reads what a GPU is, call it.
#pragma once

#include <utility>
#include <vector>

#include "src/measure/telemetry/driver_library.hpp"

namespace epochcast::telemetry {

class Nvml : public DriverLibrary {
 public:
  /// Opens the library and starts it; not open if either fails.
  explicit Nvml(const std::string& name = "libnvidia-ml.so.1")
      : DriverLibrary(
            {name}, [](const DriverLibrary& nvml) { return nvml.call<>("nvmlInit_v2"); },
            "nvmlShutdown") {}
};

// The few declarations of nvml.h that are used; NVML keeps them stable from driver to driver.
using NvmlDevice = struct nvmlDevice_st*;
struct NvmlMemory {
  unsigned long long total, free, used;
};
enum NvmlClock : unsigned { nvml_clock_sm = 1, nvml_clock_memory = 2 };

/// What CUDA counts as a device.
struct NvmlCudaDevice {
  NvmlDevice device = nullptr;
  unsigned index = 0;         ///< Of the card, in PCI order.
  bool only_by_uuid = false;  ///< A further slice of the card.
};

/// All cards; in place of one in MIG mode its slices, which have a name, a UUID ("MIG-...") and
/// memory of their own, but neither use nor energy. Empty without a driver.
inline std::vector<NvmlCudaDevice> cuda_devices(const Nvml& nvml) {
  unsigned count = 0;
  std::vector<NvmlCudaDevice> devices;
  if (!nvml.is_open() || !nvml.call("nvmlDeviceGetCount_v2", &count)) {
    return devices;
  }
  for (unsigned i = 0; i < count; ++i) {
    NvmlDevice card = nullptr;
    if (!nvml.call("nvmlDeviceGetHandleByIndex_v2", i, &card)) {
      continue;
    }
    unsigned most_slices = 0;  // stays where the card has no MIG
    nvml.call("nvmlDeviceGetMaxMigDeviceCount", card, &most_slices);
    bool has_slices = false;
    for (unsigned s = 0; s < most_slices; ++s) {
      if (NvmlDevice slice = nullptr;
          nvml.call("nvmlDeviceGetMigDeviceHandleByIndex", card, s, &slice)) {
        devices.push_back({slice, i, std::exchange(has_slices, true)});
      }
    }
    if (!has_slices) {
      devices.push_back({card, i});
    }
  }
  return devices;
}

}  // namespace epochcast::telemetry
