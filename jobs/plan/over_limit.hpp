// Runs that need more time than their allocation has.
#pragma once

#include <string>

#include "jobs/cluster/cluster.hpp"
#include "jobs/plan/time_limit.hpp"
#include "src/ledger/ledger.hpp"

namespace epochcast::jobs {

/// Advice for a run that needs `row.needed_s` (computed from `most`), which exceeds the limit of
/// its allocation: a longer limit if the partition allows it (queried from sinfo if `slurm`),
/// otherwise pieces that resume from each other's checkpoints.
std::string over_limit_text(const ledger::LedgerRow& row, const JobTime& most,
                            const AllocationProfile& site, const std::string& out, bool slurm);

}  // namespace epochcast::jobs
