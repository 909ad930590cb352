// How far off "1 epoch x N" was on each allocation, and why: how the later epochs differ from the
// first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/groups/run_groups.hpp"

namespace epochcast::analysis {

/// The mean time of the epochs after the first, in seconds, by median over the runs of `epochs`
/// epochs: from the recorded epochs; where a run holds only its total, what that leaves after a run
/// of 1 epoch. Nothing for 1 epoch, or without a total.
std::optional<double> later_epoch_s(const RunGroup& group, std::int64_t epochs);

/// The time of the last epoch, by median over the runs that recorded it.
std::optional<double> last_epoch_s(const RunGroup& group, std::int64_t epochs);

/// In sentences: on which allocations the rule "1 epoch x N" is too short, on which too long, and a
/// line for each with both times in hours and minutes and the reason. Empty without a forecast.
std::vector<std::string> rule_notes(const std::vector<RunGroup>& groups);

}  // namespace epochcast::analysis
