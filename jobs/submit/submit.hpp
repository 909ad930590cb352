// Submits points with sbatch. After a crash or a lost answer no job is forgotten, and no point runs
// twice.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "jobs/campaign/out_folder.hpp"
#include "src/base/core/quantity.hpp"

namespace epochcast::jobs {

struct SubmitRequest {
  std::string out;
  std::vector<std::string> filters;  ///< column=value
  std::vector<std::string> points;   ///< Only these; empty: all that `filters` select.
  bool dry_run = false;
  bool array = false;         ///< One array per allocation instead of one job per point.
  std::int64_t throttle = 0;  ///< Maximum number of jobs that run at a time; 0: no limit.
  /// Time limits of points that replace those of their scripts, and shorter ones that suffice
  /// (--time-min). Not with `array`.
  std::map<std::string, Seconds> limits = {};
  std::map<std::string, Seconds> least_limits = {};
  /// Memory per node of points, in place of that of their scripts. Not with `array`.
  std::map<std::string, Bytes> memory = {};
  /// Nodes that the job of a point must not run on, with commas, besides those that the profile and
  /// its last job left out. Not with `array`.
  std::map<std::string, std::string> exclude = {};
  /// The job that a point waits for. The point starts if the job succeeds, otherwise it is
  /// cancelled. Not with `array`; a point that waits is not packed.
  std::map<std::string, std::string> after = {};
  /// Note the points, so that jobs that end later submit those that this call leaves out (retry()).
  bool keep = false;
  bool pack = true;  ///< Several points in a job where the allocation has `pack`; not with `array`.
  bool replace = false;  ///< Submit points again that have a pending job, which is not cancelled.
  double lock_timeout_s = 0;  ///< Time to wait for another process that submits from this folder.
};

/// A job that sbatch accepted.
struct SubmittedJob {
  std::string id;
  std::string allocation;
  bool is_array = false;
  std::vector<std::string> points;  ///< Element i of an array runs point i.
};

struct SubmitReport {
  std::size_t submitted = 0;  ///< Points.
  std::size_t to_submit = 0;  ///< Points that a call which is not a dry run tries to submit.
  std::size_t found = 0;      ///< Points of an earlier call that the scheduler had accepted.
  std::size_t had = 0;        ///< Points that already had a job or a result.
  std::vector<SubmittedJob> jobs;
  /// One line each; the next call submits the points that these left out.
  std::vector<std::string> problems;
  std::vector<std::string> notes;     ///< One line each: the nodes that `exclude: auto` leaves out.
  std::vector<std::string> commands;  ///< The calls of sbatch; a dry run does not make them.
};

/// Submits every point that has no job, no claim and no result. Throws Error or RunError; after
/// that, the same call submits the remaining points.
[[nodiscard]] SubmitReport submit(const SubmitRequest& request);

/// The same for a caller that holds the lock of the folder, or that runs the jobs itself.
[[nodiscard]] SubmitReport submit_locked(const SubmitRequest& request);

/// A timeout for that lock where many jobs may end at once.
inline constexpr double many_jobs_end_s = 300;

/// The lock that every process holds while it submits from the folder.
FolderLock lock_to_submit(const OutFolder& out, double timeout_s);

}  // namespace epochcast::jobs
