// The blocks of a log of MLPerf: a row each of the record's epochs, with their work, the
// evaluations between them, and what the log states of their steps.
#pragma once

#include <vector>

#include "src/measure/progress/reading/mllog_events.hpp"
#include "src/record/record.hpp"

namespace epochcast::analysis {

/// To a record without epochs, of a log whose first of `events` is the origin of its times, and
/// which has some `blocks`.
void add_mllog_blocks(const std::vector<progress::mllog::Event>& events,
                      const progress::mllog::Intervals& blocks, record::Record& record);

}  // namespace epochcast::analysis
