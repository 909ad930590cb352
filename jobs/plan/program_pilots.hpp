// Pilots of a program of the user's.
#pragma once

#include <vector>

#include "jobs/cluster/cluster.hpp"
#include "jobs/experiment/matrix.hpp"
#include "jobs/plan/pilots.hpp"

namespace epochcast::jobs {

/// One pilot per allocation and set of parameters; points that differ only in epochs, steps, seed
/// and repeat share that of the longest of them. Those of `sites` get the time that `pilot.time`
/// of the experiment needs, up to `longest` of their allocation.
Pilots program_pilots(const std::vector<Point>& points, const Cluster& cluster,
                      const PilotSize& size);

}  // namespace epochcast::jobs
