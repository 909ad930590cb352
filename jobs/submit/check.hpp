// Checks of an output folder before its jobs are submitted, beyond those of `sbatch --test-only`.
#pragma once

#include <string>
#include <vector>

#include "jobs/cluster/cluster.hpp"
#include "src/slurm/site.hpp"

namespace epochcast::jobs {

/// Something that would fail, and its fix.
struct Problem {
  std::string where;  ///< An allocation, a point, a folder.
  std::string text;
  std::string fix;
  bool operator==(const Problem&) const = default;
};

/// Compares an allocation with the cluster: partition, time, nodes, CPUs, memory, GPU type and
/// number, features. Of several partitions one that fits is enough.
std::vector<Problem> check_site(const AllocationProfile& site,
                                const std::vector<slurm::Partition>& partitions,
                                const slurm::User& user = {});

struct CheckReport {
  std::vector<Problem> problems;
  std::vector<std::string> remarks;  ///< Includes what could not be checked.
  bool all_checked = true;           ///< False: the controller did not answer.
};

/// Checks every allocation, program, data set and folder of an output folder, then runs `sbatch
/// --test-only` once per allocation.
[[nodiscard]] CheckReport check(const std::string& out);

}  // namespace epochcast::jobs
