// Writes a first profile of a cluster from the output of sinfo and scontrol.
#pragma once

#include <string>
#include <vector>

#include "src/slurm/site.hpp"

namespace epochcast::jobs {

/// YAML with an allocation of 2 CPUs per partition and one per type of its GPUs, in the site's
/// spelling, with a GPU's share of the node. CPUs do not exceed MaxCPUsPerNode. A partition that is
/// closed to `account`, or without one to all of the user's `accounts`, gets only a comment. Both
/// may be empty.
std::string profile_text(const std::vector<slurm::Partition>& partitions,
                         const std::string& account, const std::vector<std::string>& accounts = {});

}  // namespace epochcast::jobs
