// Time limits from past jobs of the accounting, instead of pilots.
#pragma once

#include <string>
#include <vector>

#include "jobs/cluster/cluster.hpp"
#include "jobs/experiment/matrix.hpp"
#include "jobs/plan/plan.hpp"
#include "src/forecast/ledger/ledger.hpp"
#include "src/slurm/accounted_job.hpp"

namespace epochcast::jobs {

/// The past jobs that forecasts are made from.
struct PastJobs {
  std::vector<slurm::AccountedJob> jobs;
  /// Pattern of their names (history::NamePattern), in which {batch} stands for a parameter of the
  /// point.
  std::string name;
};

/// The past jobs with the point's name and the resources of its allocation: partition, nodes, CPUs
/// and GPUs. Throws Error for a placeholder that is no parameter of the point.
std::vector<slurm::AccountedJob> jobs_of_point(const PastJobs& past, const Point& point,
                                               const AllocationProfile& site);

/// The row of the ledger for a point: the forecast, and the limit that follows from it. If there is
/// no forecast, or if it needs more than the allocation has, the limit is the allocation's, and the
/// remark says why. `out` is named in advice.
ledger::LedgerRow limit_from_history(const PastJobs& past, const Point& point,
                                     const AllocationProfile& site, const std::string& out);

/// Writes the full runs into OUT, forecasts each from past jobs, writes the forecasts into the
/// ledgers and submits the jobs with their limits. `tell` gets one line per point. The same call
/// again submits what is missing; a point whose forecast is open keeps it. A dry run submits
/// nothing and keeps no forecast. Throws Error for a cluster without Slurm, and for an output
/// folder that has a plan with pilots.
[[nodiscard]] PlanReport plan_from_history(const PlanRequest& request, const PastJobs& past,
                                           const Tell& tell);

}  // namespace epochcast::jobs
