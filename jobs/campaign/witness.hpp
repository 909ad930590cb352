// What the scheduler knows about jobs.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "jobs/campaign/journal.hpp"
#include "src/slurm/queue.hpp"

namespace epochcast::jobs {

/// "JOB STATUS" in the environment: the script of that job has waited for its program, which ended
/// with that status.
inline constexpr const char* ended_variable = "EPOCHCAST_ENDED";

class Witness {
 public:
  /// Asks the scheduler once about `jobs`, unless all are local; of those only the process that
  /// runs them knows. A job that has the number of one of `journal` and is another one does not
  /// count.
  Witness(const std::set<std::string>& jobs, const Journal& journal);

  /// Why the scheduler did not answer; "": it did, or was not asked.
  const std::string& problem() const { return problem_; }

  /// By its id or its name; nullptr: not known.
  const slurm::Job* find(const std::string& job) const;

 private:
  /// The job whose script asks has ended its program, and lives only to ask.
  void end_own_job();
  void take(const std::vector<slurm::Job>& jobs);

  const Journal& journal_;
  std::string problem_;
  std::map<std::string, slurm::Job> jobs_;
};

}  // namespace epochcast::jobs
