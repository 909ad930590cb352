#include "src/measure/attempt/gpu.hpp"

#include <algorithm>
#include <array>

#include "src/base/core/text.hpp"
#include "src/measure/telemetry/nvml.hpp"
#include "src/measure/telemetry/rocm_smi.hpp"

namespace epochcast::attempt {
namespace {

using telemetry::Nvml;
using telemetry::NvmlDevice;

Gpu read_gpu(const Nvml& nvml, NvmlDevice device) {
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
  if (telemetry::NvmlMemory memory{}; nvml.call("nvmlDeviceGetMemoryInfo", device, &memory)) {
    gpu.memory_bytes = static_cast<std::int64_t>(memory.total);
  }
  int major = 0;
  int minor = 0;
  if (nvml.call("nvmlDeviceGetCudaComputeCapability", device, &major, &minor)) {
    gpu.architecture = "sm_" + std::to_string(major) + std::to_string(minor);
  }
  unsigned value = 0;
  if (nvml.call("nvmlDeviceGetMaxClockInfo", device, telemetry::nvml_clock_sm, &value)) {
    gpu.clock_mhz = value;
  }
  if (nvml.call("nvmlDeviceGetMaxClockInfo", device, telemetry::nvml_clock_memory, &value)) {
    gpu.memory_clock_mhz = value;
  }
  if (nvml.call("nvmlDeviceGetPowerManagementLimit", device, &value)) {
    gpu.power_limit_w = value / 1000.0;  // NVML reports milliwatts
  }
  return gpu;
}

std::vector<Gpu> read_amd_gpus(const telemetry::RocmSmi& smi) {
  std::vector<Gpu> gpus;
  for (std::uint32_t card = 0; smi.is_open() && card < smi.cards(); ++card) {
    Gpu gpu{.index = card, .uuid = smi.uuid(card)};
    std::array<char, 96> text{};
    if (smi.call("rsmi_dev_name_get", card, text.data(), text.size())) {
      gpu.name = text.data();
    }
    constexpr std::int32_t driver = 0;
    if (smi.call("rsmi_version_str_get", driver, text.data(),
                 static_cast<std::uint32_t>(text.size()))) {
      gpu.driver = text.data();
    }
    constexpr std::int32_t vram = 0;
    gpu.memory_bytes = static_cast<std::int64_t>(
        smi.number<std::uint64_t>(0, "rsmi_dev_memory_total_get", 1, card, vram));
    gpu.clock_mhz = smi.clock(card, telemetry::RocmSmi::system_clock).highest_hz * 1e-6;
    gpu.memory_clock_mhz = smi.clock(card, telemetry::RocmSmi::memory_clock).highest_hz * 1e-6;
    constexpr std::uint32_t sensor = 0;
    gpu.power_limit_w = smi.number<std::uint64_t>(0, "rsmi_dev_power_cap_get", 1e-6, card, sensor);
    gpus.push_back(gpu);
  }
  return gpus;
}

}  // namespace

std::vector<Gpu> read_gpus(const std::string& nvml_name, const std::vector<std::string>& rocm_smi) {
  const Nvml nvml(nvml_name);
  const auto devices = telemetry::cuda_devices(nvml);
  if (devices.empty()) {
    return read_amd_gpus(telemetry::RocmSmi(rocm_smi));
  }
  std::vector<Gpu> gpus;
  for (const auto& [device, index, only_by_uuid] : devices) {
    gpus.push_back(read_gpu(nvml, device));
    gpus.back().index = only_by_uuid ? -1 : std::int64_t{index};
  }
  return gpus;
}

const Gpu* first_visible(const std::vector<Gpu>& gpus, const std::string& cuda_visible_devices) {
  const auto first =
      std::string(trim(cuda_visible_devices.substr(0, cuda_visible_devices.find(','))));
  const auto index = first.empty() ? 0 : parse_integer(first).value_or(-1);
  const auto found = std::ranges::find_if(gpus, [&](const Gpu& gpu) {
    return index >= 0 ? gpu.index == index : gpu.uuid.starts_with(first);
  });
  return found == gpus.end() ? nullptr : &*found;
}

}  // namespace epochcast::attempt
