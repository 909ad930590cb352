#include "src/measure/telemetry/energy.hpp"

#include <algorithm>

#include "src/base/core/text.hpp"
#include "src/measure/telemetry/files.hpp"

namespace epochcast::telemetry {
namespace {

namespace fs = std::filesystem;

/// "intel-rapl:0" is a package, "intel-rapl:0:1" a part of it. AMD's packages have the same name.
/// The zones of "intel-rapl-mmio" count the same packages once more.
bool is_zone(const std::string& name) {
  return name.starts_with("intel-rapl:");
}

}  // namespace

EnergyCounters::EnergyCounters(const fs::path& root) {
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(root / "sys/class/powercap", missing)) {
    const auto& folder = entry.path();
    const auto name = std::string(trim(read_small_file(folder / "name")));
    const bool is_package = name.starts_with("package");
    const auto counted = first_number(read_small_file(folder / "energy_uj"));
    if (!is_zone(folder.filename()) || !(is_package || name == "dram") || !counted) {
      continue;
    }
    zones_.push_back({folder / "energy_uj",
                      first_number(read_small_file(folder / "max_energy_range_uj")).value_or(0),
                      *counted, !is_package});
    (is_package ? sum_.package_j : sum_.dram_j) = 0;
  }
}

Energy EnergyCounters::read() {
  for (auto& zone : zones_) {
    const auto counted = first_number(read_small_file(zone.file));
    if (!counted) {
      continue;
    }
    const double step_uj = *counted >= zone.last_uj
                               ? *counted - zone.last_uj
                               : std::max(0.0, zone.range_uj - zone.last_uj + *counted);
    zone.last_uj = *counted;
    auto& sum = zone.is_dram ? sum_.dram_j : sum_.package_j;
    sum = sum.value_or(0) + step_uj / 1e6;
  }
  return sum_;
}

}  // namespace epochcast::telemetry
