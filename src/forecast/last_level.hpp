// Jumps of the level, as a schedule of batch sizes or a throttled device makes them.
#pragma once

#include <variant>
#include <vector>

#include "src/forecast/refusal.hpp"
#include "src/forecast/step.hpp"

namespace epochcast::forecast {

/// Steps from their last jump to a new level on; all of them if there is none, or where the
/// level has been there before. Refused where those after the jump are the smaller part: times
/// alone do not tell how it goes on. Steps are of about equal work, at least one.
std::variant<std::vector<Step>, Refusal> last_level(const std::vector<Step>& steps);

}  // namespace epochcast::forecast
