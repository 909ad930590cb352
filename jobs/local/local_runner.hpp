// Runs the scripts of an output folder one after another on this machine, without Slurm.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "src/base/core/error.hpp"
#include "src/base/core/quantity.hpp"

namespace epochcast::jobs {

struct RunRequest {
  std::string out;
  std::vector<std::string> filters;            ///< column=value
  std::map<std::string, Seconds> limits = {};  ///< Of points; they replace those of the allocation.
  /// Points that cannot run -> the reason; they count as failed.
  std::map<std::string, std::string> skip = {};
  /// How often points that are complete but were disturbed run again, at most.
  std::int64_t repeat_disturbed = 0;
};

struct RunReport {
  std::size_t complete = 0;  ///< Includes points that were complete before.
  std::size_t failed = 0;
  std::size_t stopped = 0;  ///< At their time limit, or on request.
  std::size_t excluded = 0;
  bool interrupted = false;

  /// Whether there were points and this machine could run none of them.
  bool ran_nothing() const { return excluded > 0 && complete + failed + stopped == 0; }
  ExitStatus exit_status() const;
};

/// Runs every point that is not complete; it resumes from the last attempt if possible
/// (is_resumable), and again at once where `retry:` says so. Allocations that this machine cannot
/// provide are skipped; if no point is left, the run failed. Then repeats what was disturbed, also
/// before, until it is not or the repeats are used up. `tell` gets one line per step.
[[nodiscard]] RunReport run_here(const RunRequest& request,
                                 const std::function<void(const std::string&)>& tell);

}  // namespace epochcast::jobs
