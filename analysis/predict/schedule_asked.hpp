// When evaluations and checkpoints come, as the command line states it.
#pragma once

#include <vector>

#include "src/base/cli/command_line.hpp"
#include "src/forecast/run/schedule.hpp"

namespace epochcast::analysis {

/// --eval-every, --eval-from, --checkpoint-every.
const std::vector<cli::Option>& schedule_options();

/// The schedules that these state, in what the length of the run counts. Throws Error for a number
/// that is not above 0, and for --eval-from alone.
std::vector<forecast::Schedule> schedules_asked(const cli::Arguments& arguments);

}  // namespace epochcast::analysis
