// Past jobs of the same script with the same resources, by patterns of their names, and what their
// times say.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "src/base/core/regular_expression.hpp"
#include "src/forecast/statistics/history.hpp"
#include "src/slurm/accounted_job.hpp"

namespace epochcast::history {

/// The fields of AccountedJob that two jobs of one group share.
const std::vector<std::string>& default_group();

/// The names of all fields that jobs can be grouped by.
std::vector<std::string> group_fields();

struct JobGroup {
  std::vector<std::string> values;  ///< Of the fields that were asked for.
  std::vector<slurm::AccountedJob> jobs;
};

/// Groups jobs by `fields`; the groups that used most time first. Throws Error "no job has 'X'; did
/// you mean 'Y'?".
std::vector<JobGroup> group_jobs(const std::vector<slurm::AccountedJob>& jobs,
                                 const std::vector<std::string>& fields);

/// How the jobs of a group ended, and the limits that their users chose.
struct GroupTimes {
  /// Jobs that completed, and jobs that their limit cut off. A job that was requeued counts as
  /// neither: its last life may have begun with a checkpoint.
  std::vector<forecast::PastTime> times;
  std::size_t failed = 0;     ///< With an error, or for lack of memory.
  std::size_t cancelled = 0;  ///< By a person, or at a deadline.
  std::size_t disturbed = 0;  ///< Requeued or preempted, or the node failed.
  std::size_t limited = 0;    ///< Of `times`: the jobs whose limit is known.
  std::size_t at_limit = 0;   ///< Of these: the jobs that reached it.
  double asked_s = 0;         ///< Sum of the limits of these jobs ...
  double used_s = 0;          ///< ... and of their times.

  std::size_t left_out() const { return failed + cancelled + disturbed; }
};

GroupTimes times_of(const std::vector<slurm::AccountedJob>& jobs);

/// Leaves the newest jobs out (forecast::backtest). Jobs without times of submission and end are
/// not scored.
forecast::Backtest backtest(const GroupTimes& group);

/// A shell pattern for the whole name ("train-*", "resnet[0-9]"), or a regular expression between
/// slashes that a part of the name matches ("/^train-\d+$/"), within the limits of
/// RegularExpression.
class NamePattern {
 public:
  /// Throws Error "name pattern: '(' is no regular expression: ...".
  explicit NamePattern(const std::string& text);
  bool matches(const std::string& name) const;

 private:
  std::string glob_;
  std::optional<RegularExpression> expression_;
};

/// Whether one of the patterns matches; true if there is none.
bool matches_any(const std::vector<NamePattern>& patterns, const std::string& name);

}  // namespace epochcast::history
