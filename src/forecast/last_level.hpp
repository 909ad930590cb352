// Jumps of the level, as caused by a schedule of batch sizes or a throttled device.
#pragma once

#include <variant>
#include <vector>

#include "src/forecast/refusal.hpp"
#include "src/forecast/step.hpp"

namespace epochcast::forecast {

/// The steps from the last jump to a new level on; all steps if there is no jump, or if the level
/// occurred before. Returns a Refusal if fewer steps follow the jump than precede it: times alone
/// do not show how the run continues. The steps do about equal work; there is at least one.
std::variant<std::vector<Step>, Refusal> last_level(const std::vector<Step>& steps);

}  // namespace epochcast::forecast
