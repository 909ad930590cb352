// What `sbatch --test-only` does not find: our own rules about a site, pure, and the check of a
// whole folder.
#pragma once

#include <string>
#include <vector>

#include "jobs/cluster/cluster.hpp"
#include "src/slurm/site.hpp"

namespace epochcast::jobs {

/// Something that would go wrong, and the fix.
struct Problem {
  std::string where;  ///< An allocation, a point, a folder.
  std::string text;
  std::string fix;
  bool operator==(const Problem&) const = default;
};

/// Holds an allocation against what the cluster has: partition, time, nodes, CPUs, memory, GPU type
/// and number, features.
std::vector<Problem> check_site(const AllocationProfile& site,
                                const std::vector<slurm::Partition>& partitions);

struct CheckReport {
  std::vector<Problem> problems;
  std::vector<std::string> remarks;  ///< Also what could not be checked, and why.
  bool all_checked = true;           ///< The controller answered, where there is one.
};

/// Our rules on every allocation, program, data set and folder of an output folder, then `sbatch
/// --test-only` once for each allocation.
CheckReport check(const std::string& out);

}  // namespace epochcast::jobs
