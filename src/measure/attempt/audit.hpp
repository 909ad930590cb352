// Compares the requested allocation with the granted one. A difference caused by the scheduler
// (another partition, fewer CPUs, a requeue) means that the time belongs to another allocation than
// the one under which it would be compared: the record is tainted. A difference in the hardware
// under a correct allocation is only recorded.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/record/record.hpp"
#include "src/record/run/allocation.hpp"
#include "src/record/run/prices.hpp"
#include "src/slurm/job_info.hpp"

namespace epochcast::attempt {

/// The facts that are known at the start of a run.
struct AuditFacts {
  std::optional<run::Allocation> asked;  ///< From EPOCHCAST_ASKED; empty if run by hand.
  std::optional<slurm::JobInfo> job;     ///< From Slurm; empty without Slurm or its answer.
  record::Machine machine;               ///< With the affinity and the GPU that the run uses.
  std::int64_t gpus_present = 0;
  std::int64_t restart = 0;
  run::Prices prices = {};  ///< From EPOCHCAST_PRICES: rows price_currency, price_cpu_hour, ...
};

struct Audit {
  std::vector<record::AllocationRow> rows;
  std::string tainted;  ///< One line; empty: the times can be compared.
};

Audit audit(const AuditFacts& facts);

}  // namespace epochcast::attempt
