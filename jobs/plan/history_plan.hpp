// Plans an experiment from past jobs: full runs with time limits, without pilots.
#pragma once

#include "jobs/plan/history_limits.hpp"
#include "jobs/plan/plan.hpp"

namespace epochcast::jobs {

/// Writes the full runs into OUT, forecasts each from past jobs, writes the forecasts into the
/// ledgers and submits the jobs with their limits. `tell` gets one line per point. The same call
/// again submits what is missing; a point whose forecast is open keeps it. A dry run submits
/// nothing and keeps no forecast. Throws Error for a cluster without Slurm, and for an output
/// folder that has a plan with pilots.
[[nodiscard]] PlanReport plan_from_history(const PlanRequest& request, const PastJobs& past,
                                           const Tell& tell);

}  // namespace epochcast::jobs
