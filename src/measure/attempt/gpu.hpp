// What the GPUs of this host are, as reported by NVML or, without it,
// ROCm SMI (src/measure/telemetry/).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/measure/telemetry/rocm_smi.hpp"

namespace epochcast::attempt {

struct Gpu {
  std::int64_t index = 0;  ///< In PCI order; -1: a further slice of a card, known by its UUID only.
  std::string name;
  std::string uuid;
  std::string driver;
  std::string architecture;  ///< "sm_75"; empty: not reported.
  std::int64_t memory_bytes = 0;
  double clock_mhz = 0;  ///< Maximum SM clock.
  double memory_clock_mhz = 0;
  double power_limit_w = 0;
};

/// All GPUs of the host that this process can see, in PCI order, in place of a card in MIG mode its
/// slices; empty if there is no driver. A
/// value that a GPU does not report stays 0.
std::vector<Gpu> read_gpus(const std::string& nvml_name = "libnvidia-ml.so.1",
                           const std::vector<std::string>& rocm_smi = telemetry::rocm_smi_names);

/// The GPU that is CUDA device 0, given CUDA_VISIBLE_DEVICES or ROCR_VISIBLE_DEVICES (an index in
/// PCI order, or a UUID that may be abbreviated); nullptr if it is none of `gpus`.
const Gpu* first_visible(const std::vector<Gpu>& gpus, const std::string& cuda_visible_devices);

}  // namespace epochcast::attempt
