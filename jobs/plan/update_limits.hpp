// After a pilot: forecasts the runs that wait for it and lowers their time limits.
#pragma once

#include <string>

#include "jobs/campaign/out_folder.hpp"
#include "jobs/ledger/ledgers.hpp"

namespace epochcast::jobs {

/// Forecasts every point of OUT that waits for `pilot` from its record, puts the forecasts into the
/// ledgers and gives the jobs their limits. `tell` gets a line for each point. Returns as
/// update_waiting_jobs. Throws Error if OUT has no such pilot, RunError if the pilot has no record.
[[nodiscard]] bool update_limits(const std::string& out, const std::string& pilot,
                                 const Tell& tell);

/// Gives every waiting job of OUT the limit that the ledger has for its point, unless it has it
/// already. If the site refuses to change a job, another job with the limit is submitted and the
/// first is cancelled; if both start, the claim lets only one work. A job that Slurm does not
/// describe is left for the next call. Returns false if a replaced job could not be cancelled:
/// `tell` got its id and the reason.
[[nodiscard]] bool update_waiting_jobs(const OutFolder& out, const Tell& tell);

}  // namespace epochcast::jobs
