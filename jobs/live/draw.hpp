// The live view as a grid of cells: pure functions from values to what a terminal shows.
#pragma once

#include <string>

#include "jobs/live/log_tail.hpp"
#include "jobs/live/view.hpp"
#include "src/output/terminal/grid.hpp"

namespace epochcast::jobs {

/// "42s", "12m", "1h12m", "3d04h": two units at most.
std::string short_duration(double seconds);

/// A bar of `width` columns; the part of `share` is full.
std::string bar_text(double share, int width);

/// The whole screen. `log`: the open log; it is shown in Mode::log only.
terminal::Grid draw(const View& view, const Snapshot& snapshot, const LogTail* log,
                    terminal::Size size);

}  // namespace epochcast::jobs
