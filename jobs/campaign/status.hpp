// The state of every point. The job's own record decides; the scheduler adds what a record cannot
// know.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "src/core/enum_text.hpp"
#include "src/run/outcome.hpp"

namespace epochcast::jobs {

enum class PointState {
  not_submitted,
  pending,
  running,
  complete,
  stopped,
  failed,
  lost,
  missing  ///< Its job ended without a record.
};
constexpr auto texts_of(Tag<PointState>) {
  return std::array{EnumText<PointState>{PointState::not_submitted, "new"},
                    EnumText<PointState>{PointState::pending, "pending"},
                    EnumText<PointState>{PointState::running, "running"},
                    EnumText<PointState>{PointState::complete, "complete"},
                    EnumText<PointState>{PointState::stopped, "stopped"},
                    EnumText<PointState>{PointState::failed, "failed"},
                    EnumText<PointState>{PointState::lost, "lost"},
                    EnumText<PointState>{PointState::missing, "missing"}};
}

struct PointStatus {
  std::string point;
  std::string allocation;
  std::string swept;  ///< "depth=2": the values that differ between points (swept_values).
  std::string task;   ///< Of our trainer; empty: a command.
  PointState state = PointState::not_submitted;
  run::FailureCause cause = run::FailureCause::none;
  std::string reason;   ///< One line, or empty.
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
  std::string scheduler_problem;  ///< Why the scheduler did not answer; empty: it did, or there is
                                  ///< none.
};

/// How to find out whether a job of the local runner is alive: by the runner's lock, or not at all,
/// because the caller is the runner and holds the lock.
enum class LocalJobs { as_locked, all_gone };

/// The state of every point of the index that `filters` select. The record of a vanished job is
/// closed (running → lost, with the scheduler's reason), but not while the controller does not
/// answer, and not in a copy of a folder, whose jobs belong to the original.
StatusReport status(const std::string& out, const std::vector<std::string>& filters = {},
                    LocalJobs local_jobs = LocalJobs::as_locked);

}  // namespace epochcast::jobs
