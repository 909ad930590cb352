// How far a setting is from those that were measured, and which run would bring it into reach.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/forecast/scaling/step_setting.hpp"

namespace epochcast::forecast {

/// Why the measured settings say nothing about `asked`, with the run that would allow a forecast;
/// one line. std::nullopt if they do. The cases are those of StepSurface::forecast. `settings` is
/// not empty.
std::optional<std::string> out_of_reach(const std::vector<StepSetting>& settings,
                                        const StepSetting& asked);

/// By how many doublings `asked` lies beyond the measured range, over all dimensions together.
double doublings_beyond(const std::vector<StepSetting>& settings, const StepSetting& asked);

/// A line for each dimension in which `asked` is more than twice beyond the measurements.
std::vector<std::string> warnings_beyond(const std::vector<StepSetting>& settings,
                                         const StepSetting& asked);

/// "a run with a batch size of 64 would help": halfway to `asked`, in its furthest dimension.
std::string helpful_run(const std::vector<StepSetting>& settings, const StepSetting& asked);

}  // namespace epochcast::forecast
