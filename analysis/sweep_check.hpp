// How well three networks of a sweep would have foretold the rest of it.
#pragma once

#include "analysis/sweep.hpp"
#include "analysis/table.hpp"

namespace epochcast {

/// For each pair of columns with at least five networks on both: the crossing forecast from the
/// smallest, the middle and the largest, beside the one that the whole sweep shows.
Table sweep_check(const Sweep& sweep);

}  // namespace epochcast
