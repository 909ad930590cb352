// The rank of this process among the processes that train together.
#pragma once

#include <cstdint>
#include <string>

#include "src/slurm/job_environment.hpp"

namespace epochcast::attempt {

struct RankPlace {
  std::int64_t rank = 0;
  std::int64_t size = 1;        ///< Number of ranks of the run.
  std::int64_t local_rank = 0;  ///< Rank among the processes of its node.
  /// Host on which rank 0 listens: 127.0.0.1 where all ranks share a machine; empty for one rank.
  std::string rendezvous_host;
  std::int64_t rendezvous_port = 0;  ///< MASTER_PORT; 0: the secret of the run gives one.
  std::string run;  ///< Other ranks that share a folder have another: "40007.0", "port-29500".

  bool is_first() const { return rank == 0; }
};

/// Reads RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and MASTER_PORT (the names of torchrun, which
/// `epochcast-jobs launch` also sets). If they are not set, uses the step that srun started:
/// SLURM_STEP_NUM_TASKS, SLURM_PROCID, SLURM_LOCALID and the first host of SLURM_STEP_NODELIST.
/// Returns one rank if neither is set. Throws Error naming the variable that is missing or invalid.
RankPlace read_rank_place(const slurm::Environment& environment);

}  // namespace epochcast::attempt
