// NVML, the management library of NVIDIA. Only src/measure/telemetry and
// src/measure/attempt/gpu.cpp, which reads what a GPU is, call it.
#pragma once

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

}  // namespace epochcast::telemetry
