#include "src/forecast/device/learned_widths.hpp"

#include <cmath>

namespace epochcast::device {

Widths datasheet_widths(double log_ratio, bool single_operator) {
  if (single_operator) {
    return operator_widths;
  }
  const double distance = std::sqrt(program_distance_floor + std::abs(log_ratio));
  return {program_widths.of_80 * distance, program_widths.of_95 * distance};
}

}  // namespace epochcast::device
