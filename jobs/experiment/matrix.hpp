// Experiment × cluster → points: pure, ordered, with ids that stay the same.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/cluster/cluster.hpp"
#include "jobs/experiment/experiment.hpp"
#include "src/run/parameter.hpp"
#include "src/run/run_config.hpp"

namespace epochcast::jobs {

/// Parameters that are paths, or several separated by ':'.
inline constexpr std::array<std::string_view, 3> path_parameters{"weights", "dataset.path",
                                                                 "dataset.vocabulary"};

/// One run of the experiment: a set of parameters on an allocation.
struct Point {
  std::string id;  ///< "dcgan.t4.e20.r0-k3m9x2q7ab": readable, safe as a file name, unique in the
                   ///< experiment.
  std::string allocation;  ///< Name in the cluster's profile.
  run::Parameters
      parameters;  ///< What the trainer's arguments say: all that differ from the defaults.
  std::vector<std::string> command;  ///< With {placeholders}; empty: our trainer.
  Settings placeholders;             ///< What they stand for.
};

/// More points than this are a slip: each is a script and a job, and sites take some 10,000 jobs at
/// once (Slurm's default of MaxJobCount). The hashes in ids are long enough for as many.
inline constexpr std::int64_t most_points = 100'000;

/// Every point, by allocation, then in the order of the sweep, the repeats last. The device is the
/// allocation's (cuda where it has GPUs) unless the experiment names one. Throws Error for an
/// allocation the cluster has not, and before anything is multiplied out for more than
/// `most_points`, those counted that 'exclude:' would drop.
std::vector<Point> expand(const Experiment& experiment, const Cluster& cluster);

/// A run of our trainer on an allocation, with the id that its parameters make.
Point point_of(const run::RunConfig& config, const std::string& allocation);

/// All parameters of a point, defaults too.
run::Parameters complete_parameters(const Point& point);

}  // namespace epochcast::jobs
