// The state of every point, with what its record says.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "jobs/campaign/point_end.hpp"
#include "jobs/campaign/point_facts.hpp"
#include "jobs/campaign/remaining.hpp"
#include "src/forecast/efficiency/job_use.hpp"
#include "src/record/run/outcome.hpp"
#include "src/record/run/task.hpp"

namespace epochcast::jobs {

struct PointStatus {
  std::string point;
  std::string allocation;
  std::string swept;  ///< "depth=2": how it differs from other points (swept_values).
  run::Task task = run::Task::command;
  PointState state = PointState::fresh;
  run::FailureCause cause = run::FailureCause::none;
  std::string reason;        ///< One line; may be empty.
  std::string job;           ///< The current or last job, as in SLURM_JOB_ID.
  std::string job_name;      ///< The same as squeue prints it: "59_0" for an element of an array.
  std::string log;           ///< Path; empty: none.
  std::string record = {};   ///< Path of the last attempt's record; empty: none.
  std::string tainted = {};  ///< Why its times must not be compared; empty: they may be.
  /// What disturbed it; empty: it is not complete, or one of its complete attempts was undisturbed.
  std::string disturbed = {};
  std::size_t attempts = 0;    ///< That have a record.
  std::string exit_code = {};  ///< "75:0": of what ran it, once that has ended; "": not known.
  std::size_t jobs = 0;        ///< That were accepted.
  std::string memory = {};  ///< What the last of them asked for in place of its script; "": that.
  Progress progress = {};
  std::size_t points_of_job = 1;  ///< That its job runs.
  bool is_released = false;  ///< Its job was released: it is to run again, also if it is complete.
  std::optional<efficiency::JobUse> use = {};  ///< Of what its last attempt had asked for.
};

/// An attempt whose job is gone and whose record has no end.
struct LostAttempt {
  std::string record;
  std::string reason;
  run::FailureCause cause = run::FailureCause::other;
};

struct StatusReport {
  std::vector<PointStatus> points;
  std::vector<LostAttempt>
      lost;             ///< Their records still say `running`. Empty in a copy of a folder.
  std::string made_as;  ///< The folder that this one was copied or moved from; empty: none.
  std::string scheduler_problem;  ///< Why the scheduler did not answer; empty: it did, or there is
                                  ///< none.
};

/// "8 points: 5 complete, 2 running, 1 failed".
std::string counts_text(std::map<PointState, std::size_t> counts);

/// The state of every point of the index that `filters` select. Writes nothing. A running record
/// whose job has certainly ended counts as lost, with the scheduler's reason; none does while the
/// controller does not answer. With `tails`, reads of the records only what is new since the last
/// call with the same ones.
StatusReport status(const std::string& out, const std::vector<std::string>& filters = {},
                    RecordTails* tails = nullptr);

/// Writes into the records of the lost attempts that they are lost, and why.
void close_lost_records(const StatusReport& report);

/// status(), and then close_lost_records(): later the scheduler may not know the reason any more.
StatusReport status_with_lost_closed(const std::string& out,
                                     const std::vector<std::string>& filters = {},
                                     RecordTails* tails = nullptr);

}  // namespace epochcast::jobs
