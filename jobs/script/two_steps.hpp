// Two programs of a job, each in a task of its own: how the script starts them.
#pragma once

#include <string>
#include <vector>

#include "jobs/cluster/cluster.hpp"

namespace epochcast::jobs {

/// What the two steps need besides the allocation.
struct TwoSteps {
  bool slurm = true;                      ///< The script is one for Slurm.
  bool gpu_of_launch = false;             ///< The second task has the GPUs, else the first.
  std::vector<std::string> options = {};  ///< Of srun, for both.
};

/// Lines that set the arrays `beside` and `launch`: the command lines that start the first and the
/// second task of an allocation of two, each with its own CPUs, the second on the last node.
/// Without Slurm both are empty, and the programs share the CPUs of the job.
std::string step_launchers(const AllocationProfile& site, const TwoSteps& steps);

}  // namespace epochcast::jobs
