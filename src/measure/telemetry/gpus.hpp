// What the GPUs of a run do, from NVML or ROCm SMI.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "src/measure/telemetry/rocm_smi.hpp"
#include "src/record/telemetry_rows.hpp"

namespace epochcast::telemetry {

/// NVML's bits for a clock that is lowered by heat or by the power supply: HW slowdown, thermal
/// slowdown by software and by hardware, power brake. Not among them: idle, and the power limit
/// that was set, at which a card works all the time.
inline constexpr std::int64_t hot_reasons = 0x8 | 0x20 | 0x40 | 0x80;

class Gpus {
 public:
  /// `wanted`: GPUs as CUDA_VISIBLE_DEVICES or ROCR_VISIBLE_DEVICES names them, by index in PCI
  /// order or UUID, which may be abbreviated; slices of a card (MIG) too. None of them is found
  /// without a driver. Those of AMD are looked for where none of NVIDIA is.
  Gpus(const std::vector<std::string>& wanted, const std::string& nvml,
       const std::vector<std::string>& rocm_smi = rocm_smi_names);
  ~Gpus();

  bool empty() const;

  /// A row for each GPU; what it does not report is NaN. `own`: the processes of the run.
  std::vector<record::GpuTelemetry> read(double duration_s, const std::vector<int>& own);

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace epochcast::telemetry
