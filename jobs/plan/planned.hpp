// An output folder with a plan: seeing it through to its end.
#pragma once

#include <string>

#include "jobs/campaign/status.hpp"
#include "jobs/ledger/ledgers.hpp"
#include "jobs/local/local_runner.hpp"

namespace epochcast::jobs {

/// Whether a point has ended without anything to forecast from.
bool ended_without_result(const PointStatus& point);

/// Waits until nothing of OUT and its pilots waits or runs; tells forecasts, outcomes and pilots
/// that came to nothing, and closes the ledger's rows.
void wait_for_plan(const std::string& out, const Tell& tell);

/// The same without a scheduler, and `run` of any folder: pilots first where OUT has a plan, then
/// the full runs with their limits; those whose pilot failed are left out.
RunReport run_planned(const RunRequest& request, const Tell& tell);

}  // namespace epochcast::jobs
