// All that is asked of a scheduler. Nothing else of `jobs` starts Slurm's commands.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/base/core/quantity.hpp"
#include "src/slurm/accounting.hpp"
#include "src/slurm/cluster_state.hpp"
#include "src/slurm/job_info.hpp"
#include "src/slurm/queue.hpp"
#include "src/slurm/site.hpp"

namespace epochcast::jobs {

/// A job to submit: its script, and what replaces the script's own options.
struct JobRequest {
  std::string script;
  std::string comment;
  std::string job_name = {};              ///< Empty: that of the script.
  std::vector<std::string> exclude = {};  ///< Nodes.
  std::size_t elements = 0;               ///< Of an array; 0: it is none.
  std::int64_t at_once = 0;               ///< Elements that run at a time; 0: no bound.
  std::optional<Seconds> limit = {};
  std::optional<Seconds> least_limit = {};  ///< A shorter one that suffices.
  std::string memory = {};                  ///< "mem=6G" (memory_option).
  std::string after_success = {};           ///< A job; without its success this one is cancelled.
  std::string after_end = {};               ///< A job.
};

/// The call of sbatch for it.
std::vector<std::string> sbatch_words(const JobRequest& request);

/// A job, a refusal, or neither for certain.
struct SubmitAnswer {
  enum class Kind { job, refused, unknown } kind;
  std::string text;  ///< The job's id, or the reason.
};

/// What is changed of a job that waits.
struct JobChange {
  std::optional<Seconds> limit = {};
  std::optional<Seconds> least_limit = {};
  std::string memory = {};  ///< "MinMemoryNode=6144" (memory_update).
};

/// How many jobs a site takes.
struct SiteLimits {
  std::int64_t max_array_size = 1001;      ///< The largest index of an array is one less.
  std::int64_t max_job_count = 10000;      ///< Jobs that the controller holds at most.
  std::optional<std::int64_t> max_submit;  ///< Jobs of this user; nothing: no limit known.
};

/// What a user may charge, as far as the accounting tells.
struct UserAccounts {
  std::string by_default;
  std::vector<std::string> all;
};

/// Errors are in one line; an empty text is none. One that overrides no more than `submit` and
/// `queue` knows nothing else.
class Scheduler {
 public:
  Scheduler() = default;
  Scheduler(Scheduler&&) = delete;
  virtual ~Scheduler() = default;

  /// `unknown` after a connection error: the controller may have accepted the job before it.
  virtual SubmitAnswer submit(const JobRequest& request) = 0;
  /// Called when the journal has the job that was submitted last.
  virtual void begin() {}
  /// Why it would refuse the script, by lines; empty: it would accept it.
  virtual std::vector<std::string> refusal_of(const std::string& /*script*/) { return {}; }
  /// Returns an error.
  virtual std::string change(const std::string&, const JobChange&) { return "it changes no job"; }
  /// Returns an error; none if the request was accepted.
  virtual std::string cancel(const std::string&) { return "it changes no job"; }
  /// Sends SIGUSR1 to the script of a running job, which asks its program to save and stop, and
  /// lowers the time limit of the job so that it ends about `patience_s` later if it still runs
  /// then. Returns an error; none if the signal was accepted.
  virtual std::string ask_to_stop(const std::string&, double /*patience_s*/) {
    return "it changes no job";
  }

  /// All jobs of this user that the controller still holds: pending jobs, running jobs, and jobs
  /// that ended in the last minutes.
  virtual slurm::Jobs queue() = 0;
  /// The jobs `names` ("123", "123_4") in the accounting; no answer if that is off.
  virtual slurm::Jobs accounting(const std::vector<std::string>& /*names*/) { return {}; }
  /// This user's jobs with the name `job_name` in the accounting.
  virtual slurm::Jobs accounting_by_job_name(const std::string& /*job_name*/) { return {}; }
  /// Of this user's jobs that wait or run, by their names; none if there is no answer.
  virtual std::map<std::string, slurm::JobTimes> times() { return {}; }
  /// Nothing if there is no answer, or the job is not known.
  virtual std::optional<slurm::JobInfo> info(const std::string&) { return {}; }
  /// The nodes of a job that began, as "n[1-2]", from the controller while it knows the job, else
  /// from the accounting; "": neither tells.
  virtual std::string node_list_of(const std::string&) { return ""; }
  /// Whether all steps of a running job but its script have ended; waits some seconds for it.
  virtual bool has_no_steps(const std::string&) { return true; }

  virtual slurm::Site site() { return {}; }
  /// The nodes and jobs of all partitions.
  virtual slurm::ClusterState state() { return {}; }
  /// The jobs of all users of the last `days`, as far as the site shows them.
  virtual slurm::PastJobsAnswer past_jobs(std::int64_t /*days*/) { return {}; }
  /// Jobs of this user in the last `days` that a failure of their nodes ended; none if the
  /// accounting is off.
  virtual std::vector<slurm::NodeFailure> node_failures(std::int64_t /*days*/) { return {}; }
  /// Nothing if there is no answer.
  virtual std::optional<SiteLimits> limits() { return {}; }
  virtual UserAccounts accounts() { return {}; }
};

/// Slurm, by its commands.
Scheduler& slurm_scheduler();

/// Another scheduler, as long as this lives.
class InPlaceOfSlurm {
 public:
  explicit InPlaceOfSlurm(Scheduler& other) : before_(std::exchange(used_, &other)) {}
  ~InPlaceOfSlurm() { used_ = before_; }
  InPlaceOfSlurm(InPlaceOfSlurm&&) = delete;

  static Scheduler* used() { return used_; }

 private:
  static inline Scheduler* used_ = nullptr;
  Scheduler* before_;
};

/// The scheduler that this process asks: Slurm, if no InPlaceOfSlurm lives.
inline Scheduler& scheduler() {
  return InPlaceOfSlurm::used() == nullptr ? slurm_scheduler() : *InPlaceOfSlurm::used();
}

}  // namespace epochcast::jobs
