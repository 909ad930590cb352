// Devices made in code.
#pragma once

#include <string>

#include "src/forecast/device/device.hpp"

namespace epochcast::device {

struct MadeDevice {
  std::string architecture = "sm_1";
  double tflops = 10;
  double bandwidth_gb_s = 100;
  double tdp_w = 200;
};

inline Device made_device(const std::string& name, const MadeDevice& made) {
  Device device{.name = name, .label = name, .architecture = made.architecture};
  device.figures.fp32_tflops = {made.tflops, "test"};
  device.figures.bandwidth_gb_s = {made.bandwidth_gb_s, "test"};
  device.figures.tdp_w = {made.tdp_w, "test"};
  return device;
}

}  // namespace epochcast::device
