#include "src/forecast/device/issue_share.hpp"

#include <algorithm>
#include <array>

namespace epochcast::device {
namespace {

constexpr double others_each = 0.36;  ///< Instructions beside each floating-point operation.

/// One multiprocessor, a clock: NVIDIA, CUDA C++ Programming Guide, "Throughput of Native
/// Arithmetic Instructions", and the number of its schedulers, 32 threads each ("Compute
/// Capability"); AMD, CDNA, CDNA 2 and CDNA 3 instruction set guides.
struct Chip {
  std::string_view architecture;
  double results = 0;                 ///< FP32 operations.
  double slots = 0;                   ///< Threads for which an instruction is issued.
  double results_an_instruction = 1;  ///< Of one thread.
};

constexpr std::array chips{
    Chip{"sm_35", 192, 128},  Chip{"sm_37", 192, 128},   Chip{"sm_50", 128, 128},
    Chip{"sm_52", 128, 128},  Chip{"sm_60", 64, 64},     Chip{"sm_61", 128, 128},
    Chip{"sm_70", 64, 128},   Chip{"sm_75", 64, 128},    Chip{"sm_80", 64, 128},
    Chip{"sm_86", 128, 128},  Chip{"sm_89", 128, 128},   Chip{"sm_90", 128, 128},
    Chip{"sm_100", 128, 128}, Chip{"sm_120", 128, 128},  Chip{"gfx908", 64, 64},
    Chip{"gfx90a", 64, 64},   Chip{"gfx942", 128, 64, 2}};

/// nullptr if it is not known.
const Chip* chip_of(const Device& device) {
  const auto chip = std::find_if(chips.begin(), chips.end(), [&](const Chip& one) {
    return one.architecture == device.architecture;
  });
  return chip == chips.end() ? nullptr : &*chip;
}

}  // namespace

double fp32_lanes(const Device& device) {
  const auto* chip = chip_of(device);
  return chip == nullptr ? 0 : chip->results;
}

double issue_share(const Device& device, std::string_view precision) {
  const auto* chip = chip_of(device);
  if (chip == nullptr || peak_for(device, precision).precision != "fp32") {
    return 1;
  }
  const double at_peak = 1 / chip->results;  // clocks an operation
  const double issued = (1 / chip->results_an_instruction + others_each) / chip->slots;
  return at_peak / std::max(at_peak, issued);
}

}  // namespace epochcast::device
