// `exclude: auto`: the nodes that jobs of an allocation leave out, for what earlier attempts say of
// them.
#pragma once

#include <string>
#include <vector>

#include "jobs/campaign/out_folder.hpp"
#include "jobs/cluster/cluster.hpp"
#include "src/forecast/nodes/nodes.hpp"
#include "src/slurm/cluster_state.hpp"
#include "src/slurm/site.hpp"

namespace epochcast::jobs {

/// What the attempts of the last nodes::days say, of this folder, its pilots, and the folders on
/// the same cluster in the user's ledger; and jobs of the user, of whatever, whose nodes failed.
std::vector<nodes::NodeReport> recent_nodes(const OutFolder& out, const std::string& cluster);

struct Exclusion {
  std::vector<std::string> nodes;  ///< For --exclude, with those of `sbatch:`; empty: no option.
  std::vector<std::string> lines;  ///< Why, one for each node; or why none is left out.
};

/// Leaves nothing out if fewer nodes than a job needs would be left to the allocation, and says so.
Exclusion exclusion_of(const AllocationProfile& site, const std::vector<nodes::NodeReport>& reports,
                       const std::vector<slurm::NodeState>& nodes,
                       const std::vector<slurm::Partition>& partitions);

}  // namespace epochcast::jobs
