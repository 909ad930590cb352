// Points → sbatch, so that a crash or a lost answer at any moment forgets nothing and runs nothing
// twice.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "src/core/quantity.hpp"

namespace epochcast::jobs {

struct SubmitRequest {
  std::string out;
  std::vector<std::string> filters;  ///< column=value
  std::vector<std::string> points;   ///< Only these; empty: all that the filters choose.
  bool dry_run = false;
  bool array = false;         ///< One array an allocation instead of one job a point.
  std::int64_t throttle = 0;  ///< At most so many of them run at once; 0: no limit.
  /// Time limits of points, in place of their script's. Not with `array`.
  std::map<std::string, Seconds> limits = {};
  /// Jobs that points wait for: they start when it has ended well, and are taken back when it has
  /// not. Not with `array`.
  std::map<std::string, std::string> after = {};
  bool replace = false;   ///< Points that have a waiting job get another one; it is not cancelled.
  double patience_s = 0;  ///< How long to wait for another call that is at work here.
};

struct SubmitReport {
  std::size_t submitted = 0;  ///< Points.
  std::size_t found = 0;      ///< Points of an earlier call whose job turned up at the scheduler.
  std::size_t had = 0;        ///< Points that had a job or a result already.
  /// One line each; what they leave out is submitted by the next call.
  std::vector<std::string> problems;
  std::vector<std::string> commands;  ///< The calls of sbatch, made or (dry run) not made.
};

/// Submits every point that has no job, no claim and no result. Throws Error, RunError; the journal
/// then holds what was done, and the same call again goes on from there.
SubmitReport submit(const SubmitRequest& request);

}  // namespace epochcast::jobs
