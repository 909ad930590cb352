// Makes the points of an experiment on a cluster, in a fixed order and with stable ids.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "jobs/cluster/cluster.hpp"
#include "jobs/experiment/experiment.hpp"
#include "src/record/run/parameter.hpp"
#include "src/record/run/run_config.hpp"

namespace epochcast::jobs {

/// Where a pilot of a program of the user's is stopped: what comes first; 0: not by this.
struct PilotCut {
  std::int64_t epochs = 0;
  Seconds time = {};
};

/// One run of the experiment: a set of parameters on an allocation.
struct Point {
  std::string id;  ///< "dcgan.t4.e20.r0-k3m9x2q7ab": readable, safe as a file name, unique in the
                   ///< experiment.
  std::string allocation;      ///< Name in the cluster's profile.
  run::Parameters parameters;  ///< The trainer's arguments: those that differ from the defaults.
  Program program;             ///< With {placeholders}; not given: epochcast-train.
  Settings placeholders;       ///< Their values, except {work}, which the output folder has.
  std::optional<PilotCut> cut = {};  ///< A pilot of `program`.
};

/// What a point does; `command` if it has a program.
run::Task task_of(const Point& point);

/// More points are assumed to be a mistake: each is a script and a job, and Slurm's default of
/// MaxJobCount is 10,000. The hashes in ids are long enough for this number.
inline constexpr std::int64_t most_points = 100'000;

/// Every point: by allocation, then in the order of the sweep, repeats last. The device is the
/// allocation's (cuda if it has GPUs) unless the experiment sets one. Throws Error for an unknown
/// allocation, and for more than `most_points` points before 'exclude:'.
std::vector<Point> expand(const Experiment& experiment, const Cluster& cluster);

/// A run of epochcast-train on an allocation, with its id.
Point point_of(const run::RunConfig& config, const std::string& allocation);

/// The pilot of a point with a program: its program with the pilot's arguments, in its first
/// repeat, under an id of its own.
Point pilot_of(const Point& point, const PilotCut& cut);

/// All parameters of a point, with defaults.
run::Parameters complete_parameters(const Point& point);

}  // namespace epochcast::jobs
