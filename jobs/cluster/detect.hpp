// Writes a first profile of a cluster from the output of sinfo and scontrol.
#pragma once

#include <string>
#include <vector>

#include "src/slurm/site.hpp"

namespace epochcast::jobs {

/// What sinfo and scontrol do not tell.
struct SiteFacts {
  std::string account;                     ///< Of the user; empty: not known.
  std::vector<std::string> accounts = {};  ///< All of the user's.
  std::vector<std::string> runtimes = {};  ///< Container runtimes on this machine.
  std::string image = {};                  ///< The image that jobs run in; empty: none.
  std::string trainer = {};                ///< The trainer on the nodes; empty: the default.
  slurm::User user = {};                   ///< Who will submit.
};

/// YAML with an allocation of 2 CPUs per partition and one per type of its GPUs, in the site's
/// spelling, with a GPU's share of the node. CPUs do not exceed MaxCPUsPerNode. A partition that is
/// closed to the account, or without one to all of the user's accounts, or in which no job of the
/// user can start, gets only a comment. What
/// is not known is a comment that says what to add.
std::string profile_text(const std::vector<slurm::Partition>& partitions, const SiteFacts& facts);

}  // namespace epochcast::jobs
