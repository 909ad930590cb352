// Pilots, and full runs with the time limits that the pilots' records forecast.
#pragma once

#include <string>
#include <vector>

#include "jobs/campaign/generate.hpp"
#include "jobs/ledger/ledgers.hpp"
#include "jobs/plan/pilots.hpp"

namespace epochcast::jobs {

struct PlanRequest {
  GenerateRequest generate;
  PilotSize size;
  std::int64_t throttle = 0;  ///< At most so many jobs at once, pilots and full runs apart; 0: all.
  bool dry_run = false;
};

struct PlanReport {
  std::size_t pilots = 0;
  std::size_t points = 0;
  bool is_local = false;
  std::vector<std::string> commands;  ///< Calls of sbatch, made or (dry run) not made.
  std::vector<std::string> problems;
};

/// Writes the full runs into OUT and their pilots into OUT/pilots. With a scheduler submits the
/// pilots, and the full runs so that each waits for its pilot and carries its allocation's limit,
/// which the step in the pilot's script lowers (jobs/plan/lower.hpp). The same call again goes on
/// where it was broken off: pilots that failed are run again, full runs whose pilot is done get
/// their limit at once.
PlanReport plan(const PlanRequest& request, const Tell& tell);

}  // namespace epochcast::jobs
