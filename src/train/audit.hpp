// What was asked of the scheduler against what was got. A difference that the scheduler made
// (another partition, fewer CPUs, a requeue) means that the time is of another allocation than the
// one it would be compared under: the record is tainted. A difference of the hardware under a right
// allocation is only recorded.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/record/record.hpp"
#include "src/run/allocation.hpp"
#include "src/slurm/job_info.hpp"

namespace epochcast::train {

/// All that is known at the start of a run.
struct AuditFacts {
  std::optional<run::Allocation> asked;  ///< From EPOCHCAST_ASKED; nothing for a run by hand.
  std::optional<slurm::JobInfo>
      job;                  ///< From Slurm; nothing where there is none or it does not answer.
  record::Machine machine;  ///< With affinity and the GPU that the run uses.
  std::int64_t gpus_present = 0;
  std::int64_t restart = 0;
};

struct Audit {
  std::vector<record::AllocationRow> rows;
  std::string tainted;  ///< One line; empty: the times can be compared.
};

Audit audit(const AuditFacts& facts);

}  // namespace epochcast::train
