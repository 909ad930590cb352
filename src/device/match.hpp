// Which device of the device database a machine holds, or a site means by a GPU type.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/device/device.hpp"

namespace epochcast::device {

/// What is known of a GPU. A name alone may stand for several cards: PCIe, SXM and S variants share
/// it.
struct GpuTraits {
  /// As the driver reports it, a GPU type of a site, or a name of the device database.
  std::string name = {};
  std::int64_t memory_bytes = 0;  ///< 0: not known; so below.
  double clock_mhz = 0;           ///< Highest SM clock.
  double power_limit_w = 0;
};

struct DeviceMatch {
  const Device* device = nullptr;          ///< In the device database given; nullptr: none fits.
  std::vector<const Device*> others = {};  ///< Also fit by all that is known.
  std::string remark = {};  ///< The assumption made, or why none fits; empty: no doubt.
};

/// Matches on the name, then narrows by memory, clock and power limit. A card whose memory is not
/// one the device is sold with is refused: MIG slices and virtual GPUs carry the name of the whole
/// card.
DeviceMatch match_device(const std::vector<Device>& database, const GpuTraits& gpu);

}  // namespace epochcast::device
