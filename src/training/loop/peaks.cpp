#include "src/training/loop/peaks.hpp"

#include <algorithm>

#include "src/measure/attempt/machine.hpp"
#include "src/training/loop/gather_rows.hpp"

namespace epochcast::train {
namespace {

/// The peaks of a rank.
struct Peaks {
  std::int64_t memory_bytes = 0;
  std::int64_t device_memory_bytes = 0;
};

}  // namespace

Metrics peaks_of(Team& team, const Workload& workload) {
  Peaks most;
  for (const auto& of_rank :
       gather_rows<Peaks>(team, {{peak_memory_bytes(), workload.peak_device_memory_bytes()}})) {
    most.memory_bytes = std::max(most.memory_bytes, of_rank.front().memory_bytes);
    most.device_memory_bytes =
        std::max(most.device_memory_bytes, of_rank.front().device_memory_bytes);
  }
  Metrics peaks{{"peak_memory_bytes", static_cast<double>(most.memory_bytes)},
                {"peak_gpu_memory_bytes", static_cast<double>(most.device_memory_bytes)}};
  std::erase_if(peaks, [](const auto& peak) { return peak.second == 0; });
  return peaks;
}

}  // namespace epochcast::train
