// The live view of a folder's jobs on a terminal.
#pragma once

#include <string>
#include <vector>

namespace epochcast::jobs {

/// Shows the points of `out` that `filters` select on the whole terminal until the user leaves.
/// Returns false with the `reason`, and shows nothing, where there is no such terminal. A signal
/// that asks the program to end does so here, after the terminal was given back.
bool watch_live(const std::string& out, const std::vector<std::string>& filters,
                std::string& reason);

}  // namespace epochcast::jobs
