// Finds the device in the device database that a machine has, or that a site means by a GPU type.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/forecast/device/device.hpp"

namespace epochcast::device {

/// The known properties of a GPU. A name alone may fit several cards: the PCIe, SXM and S variants
/// share it.
struct GpuTraits {
  /// The name that the driver reports, a GPU type of a site, or a name in the device database.
  std::string name = {};
  std::int64_t memory_bytes = 0;  ///< 0: not known; the same for the members below.
  double clock_mhz = 0;           ///< Highest SM clock.
  double power_limit_w = 0;
};

struct DeviceMatch {
  const Device* device = nullptr;          ///< In the given database; nullptr: no device fits.
  std::vector<const Device*> others = {};  ///< Other devices that fit all known properties.
  std::string remark = {};  ///< The assumption made, or why no device fits; empty: no doubt.
};

/// Matches by name, then narrows by memory, clock and power limit. Finds no device if the memory of
/// the card is not one of the sizes that the device is sold with: MIG slices and virtual GPUs have
/// the name of the whole card.
DeviceMatch match_device(const std::vector<Device>& database, const GpuTraits& gpu);

}  // namespace epochcast::device
