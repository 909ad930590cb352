// Runs a plan to its end, or waits for it.
#pragma once

#include <map>
#include <string>

#include "jobs/campaign/status.hpp"
#include "jobs/ledger/ledgers.hpp"
#include "jobs/local/local_runner.hpp"

namespace epochcast::jobs {

/// Full runs that cannot run because their pilot failed -> the reason.
std::map<std::string, std::string> without_pilot(const OutFolder& out);

/// Waits until no pilot of OUT is pending or running. Then submits those again that were disturbed,
/// and waits for them, `repeat_disturbed` times at most.
void wait_for_pilots(const std::string& out, std::int64_t repeat_disturbed, const Tell& tell);

/// Waits until no job of OUT and its pilots is pending or running. Reports forecasts, outcomes and
/// failed pilots, and closes the rows of the ledger. Then submits the full runs again that were
/// disturbed, and waits for them, `repeat_disturbed` times at most.
void wait_for_plan(const std::string& out, std::int64_t repeat_disturbed, const Tell& tell);

/// Runs a folder without a scheduler. If OUT has a plan, the pilots run first, then the full runs
/// with their limits; those whose pilot failed are skipped.
[[nodiscard]] RunReport run_planned(const RunRequest& request, const Tell& tell);

}  // namespace epochcast::jobs
