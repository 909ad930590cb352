// How well three networks of a sweep would have foretold the rest of it.
#pragma once

#include "analysis/groups/sweep.hpp"
#include "src/output/table/table.hpp"

namespace epochcast::analysis {

/// For each pair of columns with at least five networks on both: the crossing forecast from the
/// smallest, the middle and the largest, beside the one that the whole sweep shows.
table::Table sweep_check(const Sweep& sweep);

}  // namespace epochcast::analysis
