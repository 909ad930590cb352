// How well a part of the measurements would have foretold the rest of them: of a scaling series,
// and of a sweep over networks.
#pragma once

#include "analysis/groups/scaling_series.hpp"
#include "analysis/groups/sweep.hpp"
#include "src/output/table/table.hpp"

namespace epochcast::analysis {

/// For each series, speed-ups forecast beside those observed: the most workers on the fewest nodes
/// from three or more smaller numbers there, and every point on more nodes from those on the
/// fewest.
table::Table scaling_check(const std::vector<ScalingSeries>& all);

/// For each pair of columns with at least five networks on both: the crossing forecast from the
/// smallest, the middle and the largest, beside the one that the whole sweep shows.
table::Table sweep_check(const Sweep& sweep);

}  // namespace epochcast::analysis
