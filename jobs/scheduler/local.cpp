#include "jobs/scheduler/local.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "src/base/core/clock.hpp"
#include "src/base/core/error.hpp"

namespace epochcast::jobs {
namespace {

/// A program that stops with its partial result, and that nobody interrupted, obeys its limit.
slurm::JobState state_of(const process::ChildEnd& end) {
  using enum slurm::JobState;
  const bool at_limit = end.timed_out || (end.status == exit_stopped && !end.interrupted);
  return end.status == exit_done ? completed : at_limit ? timeout : failed;
}

}  // namespace

SubmitAnswer LocalScheduler::submit(const JobRequest& request) {
  if (process::is_interrupted()) {
    return {SubmitAnswer::Kind::refused, "interrupted"};
  }
  last_ = request;
  // Unique: a process does not start two jobs in the same millisecond.
  const auto id = fmt::format("local-{:.0f}-{}", 1000 * wall_clock_s(), getpid());
  jobs_.push_back({.id = id, .name = id, .comment = request.comment});
  return {SubmitAnswer::Kind::job, id};
}

void LocalScheduler::begin() {
  const auto request = last_;
  const auto at = jobs_.size() - 1;  // what take() submits follows
  jobs_[at].state = slurm::JobState::running;
  const auto end = run(request, jobs_[at].id);
  jobs_[at].state = state_of(end);
  jobs_[at].exit_code = fmt::format("{}:0", end.status);
  take(request, end);
}

}  // namespace epochcast::jobs
