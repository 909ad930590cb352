// The energy counters of the CPU packages (RAPL), as the powercap folders of the kernel show them.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace epochcast::telemetry {

/// Energy since the start, in J. Empty: no counter, or it cannot be read (most systems let only
/// root).
struct Energy {
  std::optional<double> package_j;
  std::optional<double> dram_j;
};

/// Adds up what the counters counted. They are 32 bits wide in hardware, so that they start again
/// at 0 after minutes at full power; read() must be called more often.
class EnergyCounters {
 public:
  explicit EnergyCounters(const std::filesystem::path& root);

  /// The energy since the construction.
  Energy read();

 private:
  struct Zone {
    std::filesystem::path file;
    double range_uj = 0;  ///< After which the counter starts again at 0.
    double last_uj = 0;
    bool is_dram = false;
  };
  std::vector<Zone> zones_;
  Energy sum_;
};

}  // namespace epochcast::telemetry
