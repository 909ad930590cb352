// What became of every point. The job's own record is the truth; the scheduler adds what a record
// cannot say.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace epochcast::jobs {

struct PointStatus {
  std::string point;
  std::string allocation;
  std::string swept;    ///< "depth=2": what tells it from other points (swept_values).
  std::string task;     ///< Of our trainer; empty: a command.
  std::string state;    ///< new, pending, running, complete, stopped, failed, lost, missing (ended
                        ///< without a record).
  std::string reason;   ///< One line; empty: nothing to say.
  std::string job;      ///< The job that has the point, or had it last.
  std::string log;      ///< Path; empty: there is none.
  std::string record;   ///< Path of the last attempt's record; empty: none.
  std::string tainted;  ///< Why its times should not be compared; empty: they can be.
  std::optional<double> elapsed_s;
  std::optional<double> left_s;  ///< Forecast of the time until its end; only while it runs.
};

struct StatusReport {
  std::vector<PointStatus> points;
  std::string made_as;  ///< The folder that this one is a copy of, or was moved from; empty: none.
  std::string scheduler_problem;  ///< Why the scheduler could not be asked; empty: it answered, or
                                  ///< there is none.
};

/// Whose word counts on jobs of the local runner: its lock's, or that of the runner itself, which
/// holds the lock.
enum class LocalJobs { as_locked, all_gone };

/// The state of every point of the index that `filters` choose. Records whose job is known to be
/// gone are settled (running → lost, with the scheduler's reason); nothing is settled while the
/// controller does not answer, nor in a copy of a folder, whose jobs are the original's.
StatusReport status(const std::string& out, const std::vector<std::string>& filters = {},
                    LocalJobs local_jobs = LocalJobs::as_locked);

}  // namespace epochcast::jobs
