// Pilots: short runs from which the time limits of the full ones are forecast. One for each
// allocation and set of parameters; points that differ only in epochs, seed and repeat share it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "jobs/campaign/out_folder.hpp"
#include "jobs/cluster/cluster.hpp"
#include "jobs/experiment/matrix.hpp"

namespace epochcast::jobs {

/// How long a pilot is: what comes first ends it.
struct PilotSize {
  std::int64_t iterations = 300;
  std::int64_t epochs = 2;
  Seconds time = {900};  ///< Time limit of its job; it ends by itself before.
};

/// Full point → its pilot.
using Plan = std::map<std::string, std::string>;

struct Pilots {
  std::vector<Point> points;
  std::vector<AllocationProfile> sites;  ///< Those of the cluster with the pilots' time limits.
  Plan plan;
};

/// Pilots for the points of our trainer. Throws Error for points of a command: its records hold no
/// steps to forecast from.
Pilots pilots_for(const std::vector<Point>& points, const Cluster& cluster, const PilotSize& size);

/// OUT/plan.csv: point,pilot.
std::string plan_text(const Plan& plan);

/// The plan of an output folder; empty where there is none.
Plan read_plan(const OutFolder& out);

}  // namespace epochcast::jobs
