// What is known of a point, and what follows from it: its state, and why.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "jobs/campaign/attempts.hpp"
#include "jobs/campaign/journal.hpp"
#include "src/base/core/enum_text.hpp"
#include "src/base/core/fields.hpp"
#include "src/record/run/outcome.hpp"
#include "src/record/run/task.hpp"
#include "src/slurm/queue.hpp"

namespace epochcast::jobs {

enum class PointState {
  fresh,     ///< It was never submitted or run.
  pending,   ///< Its job waits.
  running,   ///< Its job runs.
  complete,  ///< Its record is complete; of a pilot: it did what it is for.
  stopped,   ///< It ended early with a checkpoint or other partial result.
  failed,    ///< It ended with an error of its own.
  lost,      ///< Its job is gone, and its record has no end.
  missing    ///< Its job ended without a record.
};
constexpr auto texts_of(Tag<PointState>) {
  return std::array{EnumText<PointState>{PointState::fresh, "new"},
                    EnumText<PointState>{PointState::pending, "pending"},
                    EnumText<PointState>{PointState::running, "running"},
                    EnumText<PointState>{PointState::complete, "complete"},
                    EnumText<PointState>{PointState::stopped, "stopped"},
                    EnumText<PointState>{PointState::failed, "failed"},
                    EnumText<PointState>{PointState::lost, "lost"},
                    EnumText<PointState>{PointState::missing, "missing"}};
}

/// Whether the job of a point in this state waits or runs.
constexpr bool is_active(PointState state) {
  return state == PointState::pending || state == PointState::running;
}
/// Whether a point in this state has ended; a new one has not.
constexpr bool has_ended(PointState state) {
  return !is_active(state) && state != PointState::fresh;
}
/// Whether a point in this state has ended without anything to forecast from.
constexpr bool ended_without_result(PointState state) {
  return state == PointState::failed || state == PointState::lost || state == PointState::missing;
}

/// What is known of a point in one job.
struct JobFacts {
  std::string id = {};                   ///< As in SLURM_JOB_ID or "123_4"; "": there is no job.
  std::optional<slurm::Job> found = {};  ///< By the scheduler.
  std::optional<EndInPack> end_in_pack = {};
  bool is_cancelled_alone =
      false;                 ///< Somebody cancelled the point, and not the others of the job.
  bool is_own = false;       ///< This process belongs to it.
  bool is_released = false;  ///< The point may have another one.
  std::size_t points = 1;    ///< That it runs.
};

/// All that is known of a point at one moment.
struct PointFacts {
  std::string point = {};
  std::string allocation = {};
  std::string swept = {};  ///< "depth=2": how it differs from other points (swept_values).
  run::Task task = run::Task::command;
  bool is_current = true;  ///< It belongs to the last `generate`.

  std::size_t jobs = 0;     ///< That were accepted.
  std::string memory = {};  ///< What the last of them asked for in place of its script; "": that.
  std::string submitted = {};  ///< Its job in the journal, "123_4" for an element of an array.
  JobFacts job = {};           ///< The one that has claimed it, else the submitted one.
  bool is_claimed = false;
  bool is_cancelled = false;  ///< Somebody cancelled the job that it has.

  std::vector<Attempt> attempts = {};  ///< Oldest first.
  JobFacts job_of_newest = {};         ///< The one that the newest attempt ran in.
  /// The time limit that the newest attempt stopped at, if it did.
  std::optional<double> limit_s = {};

  bool scheduler_answers = true;
  bool runner_is_active = false;  ///< Another process runs local jobs of this folder.
};

/// The newest attempt if it is about the job that the point has; nullptr: the state is that of the
/// job. If the point was released for another job, only an attempt of that job counts, or a
/// complete one until that job waits or runs: it repeats what was tainted or disturbed.
const Attempt* attempt_of(const PointFacts& facts);

/// Whether this attempt has certainly ended, since a later one began: the same job again, or the
/// job that has the claim now. Clocks of nodes differ, so times do not tell.
bool is_followed(const PointFacts& facts, const Attempt& attempt);

/// Whether a point has ended in a job for certain.
bool is_gone(const PointFacts& facts, const JobFacts& job);

struct PointEnd {
  PointState state = PointState::fresh;
  run::FailureCause cause = run::FailureCause::none;
  std::string reason = {};     ///< One line; may be empty.
  std::string exit_code = {};  ///< "75:0": of what ran it, once that has ended; "": not known.
  bool is_recorded = false;    ///< attempt_of() shows this state, and not the job.
};

/// The state of a point and why it has it. The point's own record has priority; the scheduler adds
/// what a record cannot contain.
PointEnd end_of(const PointFacts& facts);

}  // namespace epochcast::jobs
