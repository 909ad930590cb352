// The scripts of an output folder, one after another on this machine, without Slurm.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "src/core/error.hpp"
#include "src/core/quantity.hpp"

namespace epochcast::jobs {

struct RunRequest {
  std::string out;
  std::vector<std::string> filters;            ///< column=value
  std::map<std::string, Seconds> limits = {};  ///< Of points, in place of their allocation's.
  /// Points that cannot be run, and why: failed.
  std::map<std::string, std::string> leave_out = {};
};

struct RunReport {
  std::size_t complete = 0;  ///< With those that were so before.
  std::size_t failed = 0;
  std::size_t stopped = 0;  ///< At their time limit, or because we were asked to stop.
  std::size_t excluded = 0;
  bool interrupted = false;

  /// Whether there were points, and this machine could run none of them.
  bool ran_nothing() const { return excluded > 0 && complete + failed + stopped == 0; }
  ExitStatus exit_status() const;
};

/// Runs every point that is not complete, from where its last attempt left it if that can be gone
/// on from (is_resumable). Allocations that this machine cannot give are left out; where that
/// leaves nothing, the run failed. `tell` gets a line for each step.
RunReport run_here(const RunRequest& request, const std::function<void(const std::string&)>& tell);

}  // namespace epochcast::jobs
