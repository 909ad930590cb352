// Readings as texts that a test can compare.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "src/base/core/text.hpp"
#include "src/measure/progress/sources/source.hpp"

namespace epochcast::progress::sources {

/// "0.5 begin 3", "2 end 3 step 7 loss=0.5": the time, what begins or ends, epoch, step, metrics.
inline std::vector<std::string> shown(const std::vector<TimedReading>& readings) {
  std::vector<std::string> all;
  for (const auto& [reading, at_s] : readings) {
    std::string text = format_shortest(std::round(at_s * 1e6) / 1e6);
    text += reading.begins_epoch ? " begin" : "";
    text += reading.ends_epoch ? " end" : "";
    text += reading.ends_run ? " end of run" : "";
    text += reading.phase == Phase::evaluate ? " evaluate" : "";
    text += reading.epoch ? " " + std::to_string(*reading.epoch) : "";
    text += reading.step ? " step " + std::to_string(*reading.step) : "";
    for (const auto& [name, value] : reading.metrics) {
      text += " " + name + "=" + format_shortest(value);
    }
    all.push_back(text);
  }
  return all;
}

}  // namespace epochcast::progress::sources
