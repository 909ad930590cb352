// Runs that are longer than their allocation lets them be.
#pragma once

#include <string>

#include "jobs/cluster/cluster.hpp"
#include "jobs/plan/time_limit.hpp"
#include "src/ledger/ledger.hpp"

namespace epochcast::jobs {

/// What to do about a run that needs `row.needed_s`, which was made from `most`, over the limit of
/// its allocation: a longer one where the partition gives it (sinfo is asked if `slurm`), else
/// pieces that go on from each other's checkpoints.
std::string over_limit_text(const ledger::LedgerRow& row, const JobTime& most,
                            const AllocationProfile& site, const std::string& out, bool slurm);

}  // namespace epochcast::jobs
