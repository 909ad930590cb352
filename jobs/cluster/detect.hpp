// A first profile of a cluster from what sinfo tells of it.
#pragma once

#include <string>
#include <vector>

#include "src/slurm/site.hpp"

namespace epochcast::jobs {

/// YAML with an allocation of 2 CPUs for every partition and one for each of its kinds of GPU, in
/// the site's spelling, with a GPU's share of the node. `account` may be empty.
std::string profile_text(const std::vector<slurm::Partition>& partitions,
                         const std::string& account);

}  // namespace epochcast::jobs
