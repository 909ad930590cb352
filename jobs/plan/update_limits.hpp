// The small step behind a pilot: forecasts the runs that wait for it and lowers their time limits.
#pragma once

#include <string>

#include "jobs/campaign/out_folder.hpp"
#include "jobs/ledger/ledgers.hpp"

namespace epochcast::jobs {

/// Forecasts every point of OUT that waits for `pilot` from its record, puts the forecasts into the
/// ledgers and gives the jobs their limits. `tell` gets a line for each point. Throws Error where
/// OUT has no such pilot, RunError where that has no record.
void lower(const std::string& out, const std::string& pilot, const Tell& tell);

/// Gives every waiting job of OUT the limit that the ledger has for its point, unless that was
/// done. Where the site refuses to change a job, another one is submitted with the limit and the
/// first cancelled; until then both wait, and the claim sees to it that only one works. Jobs of
/// which Slurm says nothing are left for the next call.
void lower_waiting_jobs(const OutFolder& out, const Tell& tell);

}  // namespace epochcast::jobs
