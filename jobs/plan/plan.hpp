// Plans an experiment: pilots, and full runs with time limits that are forecast from them.
#pragma once

#include <string>
#include <vector>

#include "jobs/campaign/generate.hpp"
#include "jobs/ledger/ledgers.hpp"
#include "jobs/plan/pilots.hpp"

namespace epochcast::jobs {

/// What a call submits.
enum class PlanPart {
  all,
  pilots,    ///< The full runs follow in a call of their own, once the pilots have ended.
  full_runs  ///< Of a folder in which a call has submitted the pilots.
};

struct PlanRequest {
  GenerateRequest generate;
  PilotSize size;
  std::int64_t throttle =
      0;  ///< Maximum number of jobs at a time, for pilots and for full runs; 0: no limit.
  bool dry_run = false;
  PlanPart part = PlanPart::all;  ///< With a scheduler.
};

struct PlanReport {
  std::size_t pilots = 0;  ///< Not set for `PlanPart::full_runs`, nor the points.
  std::size_t points = 0;
  bool is_local = false;
  std::vector<std::string> commands;  ///< Calls of sbatch; a dry run does not make them.
  std::vector<std::string> problems;
};

/// Writes the full runs into OUT and their pilots into OUT/pilots. With a scheduler, submits the
/// pilots, and the full runs as jobs that wait for their pilot and have the limit of their
/// allocation; the script of the pilot lowers it (jobs/plan/update_limits.hpp). The same call again
/// submits what is missing: failed pilots, and full runs with a limit if their pilot has ended. A
/// dry run submits nothing; without a scheduler it also writes nothing.
[[nodiscard]] PlanReport plan(const PlanRequest& request, const Tell& tell);

}  // namespace epochcast::jobs
