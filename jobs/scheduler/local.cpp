#include "jobs/scheduler/local.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>

#include "src/base/core/error.hpp"

namespace epochcast::jobs {
namespace {

LocalScheduler* of_this_process = nullptr;

/// Unique: a process does not start two jobs in the same millisecond.
std::string new_job_id() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto now_ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  return fmt::format("local-{}-{}", now_ms, getpid());
}

/// A program that stops with its partial result, and that nobody interrupted, obeys its limit.
slurm::JobState state_of(const process::ChildEnd& end) {
  using enum slurm::JobState;
  const bool at_limit = end.timed_out || (end.status == exit_stopped && !end.interrupted);
  return end.status == exit_done ? completed : at_limit ? timeout : failed;
}

}  // namespace

bool is_local_job(const std::string& job) {
  return job.starts_with("local-");
}

LocalScheduler* local_scheduler() {
  return of_this_process;
}

Scheduler& scheduler_for_jobs() {
  return of_this_process == nullptr ? scheduler() : *of_this_process;
}

LocalScheduler::LocalScheduler() {
  of_this_process = this;
}

LocalScheduler::~LocalScheduler() {
  of_this_process = nullptr;
}

SubmitAnswer LocalScheduler::submit(const JobRequest& request) {
  if (process::is_interrupted()) {
    return {SubmitAnswer::Kind::refused, "interrupted"};
  }
  last_ = request;
  jobs_.push_back({.id = new_job_id(), .name = "", .comment = request.comment});
  jobs_.back().name = jobs_.back().id;
  return {SubmitAnswer::Kind::job, jobs_.back().id};
}

void LocalScheduler::begin() {
  const auto request = last_;
  const auto at = jobs_.size() - 1;  // what `take` submits follows
  jobs_[at].state = slurm::JobState::running;
  const auto end = run(request, jobs_[at].id);
  jobs_[at].state = state_of(end);
  jobs_[at].exit_code = fmt::format("{}:0", end.status);
  take(request, end);
}

}  // namespace epochcast::jobs
