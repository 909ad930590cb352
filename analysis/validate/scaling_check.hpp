// How well a part of a scaling series would have foretold the rest of it.
#pragma once

#include "analysis/groups/scaling_series.hpp"
#include "src/output/table/table.hpp"

namespace epochcast::analysis {

/// For each series, speed-ups forecast beside those observed: the most workers on the fewest nodes
/// from three or more smaller numbers there, and every point on more nodes from those on the
/// fewest.
table::Table scaling_check(const std::vector<ScalingSeries>& all);

}  // namespace epochcast::analysis
