// The step after a pilot: forecasts the runs that wait for it and lowers their time limits.
#pragma once

#include <string>
#include <vector>

#include "jobs/campaign/out_folder.hpp"
#include "jobs/ledger/ledgers.hpp"

namespace epochcast::jobs {

/// Forecasts every point of OUT that waits for `pilot` from its record, writes the forecasts into
/// the ledgers and sets the limits of the pending jobs. `tell` gets one line per point. Returns
/// what update_pending_jobs returns. Throws Error if OUT has no such pilot, RunError if the pilot
/// has no record.
[[nodiscard]] std::vector<std::string> update_limits(const std::string& out,
                                                     const std::string& pilot, const Tell& tell);

/// Sets the limit of every pending job of OUT to the one in the ledger, and its memory, once. If
/// the site refuses to change a job, another one is submitted with the limit and the first is
/// cancelled; until then both are pending, and the claim ensures that only one runs the point. If
/// it refuses to change the memory alone, the job keeps that of its allocation. A job that Slurm
/// does not know is left to the next call. Returns one line per job that should have been cancelled
/// and was not.
[[nodiscard]] std::vector<std::string> update_pending_jobs(const OutFolder& out, const Tell& tell);

}  // namespace epochcast::jobs
