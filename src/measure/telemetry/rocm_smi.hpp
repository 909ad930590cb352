// ROCm SMI, the management library of AMD (rocm_smi.h of ROCm 5 to 7). As NVML, it is called by
// src/measure/telemetry and src/measure/attempt/gpu.cpp only. Not tried on a card.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include "src/measure/telemetry/driver_library.hpp"

namespace epochcast::telemetry {

inline const std::vector<std::string> rocm_smi_names{
    "librocm_smi64.so.1", "librocm_smi64.so.7", "librocm_smi64.so.6",
    "librocm_smi64.so.5", "librocm_smi64.so",   "/opt/rocm/lib/librocm_smi64.so"};

/// Clocks of a card in Hz; 0: not reported.
struct RocmClock {
  double current_hz = 0;
  double highest_hz = 0;
};

class RocmSmi : public DriverLibrary {
 public:
  explicit RocmSmi(const std::vector<std::string>& names = rocm_smi_names)
      : DriverLibrary(
            names, [](const DriverLibrary& smi) { return smi.call("rsmi_init", std::uint64_t{0}); },
            "rsmi_shut_down") {}

  std::uint32_t cards() const {
    std::uint32_t count = 0;
    return call("rsmi_num_monitor_devices", &count) ? count : 0;
  }

  /// The result of a function whose last argument is a pointer to `Value`, times `unit`; otherwise
  /// `missing`.
  template <class Value, class... Arguments>
  double number(double missing, const char* name, double unit, Arguments... arguments) const {
    Value value{};
    return call(name, arguments..., &value) ? static_cast<double>(value) * unit : missing;
  }

  /// As ROCR_VISIBLE_DEVICES names the card: "GPU-" and 16 hexadecimal digits; "": not known.
  std::string uuid(std::uint32_t card) const {
    std::uint64_t id = 0;
    if (!call("rsmi_dev_unique_id_get", card, &id)) {
      return "";
    }
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "GPU-%016llx", static_cast<unsigned long long>(id));
    return text.data();
  }

  enum Clock : std::int32_t { system_clock = 0, memory_clock = 4 };

  RocmClock clock(std::uint32_t card, Clock type) const {
    // rsmi_frequencies_t: the number of frequencies, the index of the current one, then up to 33 of
    // 64 bits. In newer releases a flag precedes them, so that the third word is that index, and
    // not half a frequency.
    constexpr std::uint32_t most = 33;
    struct Frequencies {
      std::array<std::uint32_t, 4> words;
      std::array<std::uint64_t, 64> rest;
    } read{};
    if (!call("rsmi_dev_gpu_clk_freq_get", card, std::int32_t{type}, &read)) {
      return {};
    }
    const bool has_flag = read.words[2] <= most;
    const auto count = std::min(read.words[has_flag ? 1 : 0], most);
    const auto current = read.words[has_flag ? 2 : 1];
    const auto frequency = [&](std::uint32_t i) {
      const auto first = (std::uint64_t{read.words[3]} << 32U) | read.words[2];
      return static_cast<double>(has_flag ? read.rest.at(i)
                                          : (i == 0 ? first : read.rest.at(i - 1)));
    };
    RocmClock clock{.current_hz = current < count ? frequency(current) : 0};
    for (std::uint32_t i = 0; i < count; ++i) {
      clock.highest_hz = std::max(clock.highest_hz, frequency(i));
    }
    return clock;
  }
};

}  // namespace epochcast::telemetry
