// This machine as a scheduler: a process runs what it submits, one job after the other.
#pragma once

#include <string>
#include <vector>

#include "jobs/scheduler/scheduler.hpp"
#include "src/base/process/child.hpp"

namespace epochcast::jobs {

/// Whether a LocalScheduler made this job.
inline bool is_local_job(const std::string& job) {
  return job.starts_with("local-");
}

/// While one lives, what its process submits runs here. Other processes know its jobs by the
/// journal, the claims, the records, and the lock of the folder.
class LocalScheduler : public Scheduler {
 public:
  LocalScheduler() { here_ = this; }
  ~LocalScheduler() override { here_ = nullptr; }

  /// That of this process; nullptr: it runs no jobs.
  static LocalScheduler* here() { return here_; }

  /// Refuses every job once this process was interrupted.
  SubmitAnswer submit(const JobRequest& request) override;
  /// Runs the job to its end.
  void begin() override;
  /// The jobs of this process.
  slurm::Jobs queue() override { return {true, "", jobs_}; }

 private:
  virtual process::ChildEnd run(const JobRequest& request, const std::string& job) = 0;
  /// May submit another job.
  virtual void take(const JobRequest& request, const process::ChildEnd& end) = 0;

  static inline LocalScheduler* here_ = nullptr;
  JobRequest last_;
  std::vector<slurm::Job> jobs_;
};

/// Who gets the jobs of this process.
inline Scheduler& scheduler_for_jobs() {
  return LocalScheduler::here() == nullptr ? scheduler() : *LocalScheduler::here();
}

}  // namespace epochcast::jobs
