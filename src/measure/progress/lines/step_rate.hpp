// How long a step takes, where a line states it as a rate.
#pragma once

#include <optional>
#include <string_view>

namespace epochcast::progress {

/// The seconds of a step, where the number at the front is a rate: "0.25 s/step", "4.0 it/s", "25 s
/// / 100 steps". The rate is taken off.
std::optional<double> take_step_rate(std::string_view& text);

/// The same of a value whose name in small letters is a rate: "sec/update", "secs_per_step",
/// "it/s".
std::optional<double> step_s_by_name(std::string_view name, double value);

}  // namespace epochcast::progress
