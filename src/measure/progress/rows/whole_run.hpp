// What is known of rows only when all lines of the run were read.
#pragma once

#include "src/measure/progress/rows/rows.hpp"
#include "src/measure/progress/rows/run_so_far.hpp"

namespace epochcast::progress {

/// The only duration that a log states, after the last of several epochs, is that of the run:
/// "Done. Took 300.9 seconds".
void take_total(Rows& rows, const RunSoFar& run);

/// The time of the first epoch is not known where a line states it, and what lines state is far
/// from what the stamps show of all others; or where steps of the run are counted on, and it has
/// fewer of them than all others and not the first: it began before the log, or before the run went
/// on.
void doubt_first(Rows& rows, const RunSoFar& run);

/// Evaluations after the last epoch, of which there were fewer after each epoch before, are of the
/// run: the test at its end.
void leave_out_test(Rows& rows, const RunSoFar& run);

/// Some programs state the time since the start of the run with each epoch: 60, 120, 180 s. Where
/// the durations look so, and no lines have times, they become 60 s each.
void undo_running_sums(Rows& rows, const RunSoFar& run);

/// The clock of a log begins with its first epoch, if it has no stamps or that began before them.
/// Returns what it took off all times.
double count_from_first(Rows& rows, const RunSoFar& run);

}  // namespace epochcast::progress
