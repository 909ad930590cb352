// The end of what a record shows.
#pragma once

#include "src/record/record.hpp"

namespace epochcast::record {

/// Seconds from the start of the program to the end of its last span, step or epoch.
double last_time_s(const Record& record);

}  // namespace epochcast::record
