#include "src/forecast/device/gpu_of_run.hpp"

#include "src/record/queries.hpp"

namespace epochcast::device {

GpuTraits gpu_of(const record::Record& record) {
  const auto machine = record.machines.empty() ? record::Machine{} : record.machines.front();
  return {.name = record::gpu_name_of(record),
          .memory_bytes = machine.gpu_memory_bytes,
          .clock_mhz = machine.gpu_clock_mhz,
          .power_limit_w = machine.gpu_power_limit_w};
}

double peak_flops_per_s(const record::Record& record, std::string_view precision,
                        const std::vector<Device>& database) {
  constexpr double tera = 1e12;
  const auto gpu = gpu_of(record);
  if (gpu.name.empty() || precision.empty() || !is_precision(precision)) {
    return 0;
  }
  const auto match = match_device(database, gpu);
  return match.device == nullptr ? 0 : tera * peak_for(*match.device, precision).tflops.value;
}

}  // namespace epochcast::device
