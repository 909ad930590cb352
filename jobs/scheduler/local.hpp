// This machine as a scheduler: the process runs what it submits, one job after the other.
#pragma once

#include <string>
#include <vector>

#include "jobs/scheduler/scheduler.hpp"
#include "src/base/process/child.hpp"

namespace epochcast::jobs {

/// Whether a LocalScheduler made this job.
bool is_local_job(const std::string& job);

/// While one lives, what its process submits runs here. Other processes know its jobs from their
/// claims, their records, and the lock of the folder.
class LocalScheduler : public Scheduler {
 public:
  LocalScheduler();
  ~LocalScheduler() override;

  /// Refuses every job once this process was interrupted.
  SubmitAnswer submit(const JobRequest& request) override;
  /// Runs the job that was submitted last to its end.
  void begin() override;
  /// The jobs of this process.
  slurm::Jobs queue() override { return {true, "", jobs_}; }

 private:
  virtual process::ChildEnd run(const JobRequest& request, const std::string& job) = 0;
  /// May submit another job.
  virtual void take(const JobRequest& request, const process::ChildEnd& end) = 0;

  JobRequest last_;
  std::vector<slurm::Job> jobs_;
};

/// That of this process; nullptr: it runs no jobs.
LocalScheduler* local_scheduler();

/// Whom this process gives its jobs: local_scheduler() if there is one, else scheduler().
Scheduler& scheduler_for_jobs();

}  // namespace epochcast::jobs
