// GPUs as NVIDIA's management library knows them. The library belongs to the driver, so it is
// opened when it is there, not linked; the one door to NVML.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace epochcast::train {

struct Gpu {
  std::string name;
  std::string uuid;
  std::string driver;
  std::string architecture;  ///< "sm_75"; empty: not told.
  std::int64_t memory_bytes = 0;
  double clock_mhz = 0;  ///< Highest SM clock.
  double memory_clock_mhz = 0;
  double power_limit_w = 0;
};

/// Every GPU of the host that this process may see, in PCI order; none where there is no driver.
/// What a card does not tell stays 0.
std::vector<Gpu> read_gpus(const std::string& library = "libnvidia-ml.so.1");

/// The one CUDA device 0 is, given CUDA_VISIBLE_DEVICES (an index in PCI order or a UUID, perhaps
/// cut short); nullptr where it is none of them.
const Gpu* first_visible(const std::vector<Gpu>& gpus, const std::string& cuda_visible_devices);

}  // namespace epochcast::train
