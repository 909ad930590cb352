// Pilots: short runs that the time limits of the full runs are forecast from. There is one per
// allocation and set of parameters; points that differ only in epochs, seed and repeat share it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "jobs/campaign/out_folder.hpp"
#include "jobs/cluster/cluster.hpp"
#include "jobs/experiment/matrix.hpp"
#include "src/base/core/quantity.hpp"

namespace epochcast::jobs {

/// The length of a pilot: the limit that comes first ends it.
struct PilotSize {
  std::int64_t iterations = 300;
  std::int64_t epochs = 0;  ///< 0: as many as pilot_epochs chooses.
  Seconds time = {900};     ///< Time limit of its job; the pilot ends before.
};

inline constexpr std::int64_t fewest_pilot_epochs = 2;
inline constexpr std::int64_t most_pilot_epochs = 10;

/// The epochs of a pilot for runs of which the longest does `longest` epochs (0: not known):
/// `asked`, or if that is 0 a tenth of the run within these bounds. With fewer, the warm-up may not
/// be over; more narrow the interval little.
std::int64_t pilot_epochs(std::int64_t asked, std::int64_t longest);

/// Full point → its pilot.
using Plan = std::map<std::string, std::string>;

struct Pilots {
  std::vector<Point> points;
  std::vector<AllocationProfile> sites;  ///< Those of the cluster, with the pilots' time limits.
  Plan plan;
};

/// Pilots for the points. How those of a program of the user's are shortened is in the experiment
/// (`pilot:`).
Pilots pilots_for(const std::vector<Point>& points, const Cluster& cluster, const PilotSize& size);

/// The smaller of two limits; 0 means no limit.
Seconds tighter(Seconds a, Seconds b);

/// The time that a pilot has before the signal, in the time limit of `site`. If the margin takes
/// more than half of the limit, it gets half.
Seconds time_to_train(const AllocationProfile& site);

/// OUT/plan.csv: point,pilot.
std::string plan_text(const Plan& plan);

/// The plan of an output folder; empty if there is none.
Plan read_plan(const OutFolder& out);

}  // namespace epochcast::jobs
