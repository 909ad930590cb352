#include "jobs/campaign/point_end.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "jobs/scheduler/local.hpp"
#include "src/base/core/text.hpp"
#include "src/record/outcome.hpp"

namespace epochcast::jobs {
namespace {

using run::FailureCause;

bool is_live(const JobFacts& job) {
  return job.found && slurm::is_live(job.found->state);
}

bool is_cancelled(const PointFacts& facts, const JobFacts& job) {
  return facts.is_cancelled || job.is_cancelled_alone;
}

std::string ended_reason(const JobFacts& job) {
  if (!job.found) {
    return "the job is gone; the scheduler has no reason for it any more";
  }
  const auto& code = job.found->exit_code;
  const auto state = std::string(to_text(job.found->state));
  return code.empty() || code == "0:0" ? state : fmt::format("{}, exit {}", state, code);
}

/// Of a point that ended while its job, which runs others too, may go on.
std::string reason_of_end(const EndInPack& end) {
  return end.out_of_memory ? "OUT_OF_MEMORY" : fmt::format("exit {}:0", end.status);
}

/// Why a job of the queue does not go on; "": it does, or only waits for its turn.
std::string state_and_reason(const slurm::Job& job) {
  using enum slurm::JobState;
  const bool plain = job.state == pending || job.state == running || job.state == unknown;
  const auto state = plain ? "" : std::string(to_text(job.state));
  return state.empty() || job.reason.empty() ? state + job.reason : state + ", " + job.reason;
}

/// The cause that follows from Slurm's state of the ended job.
FailureCause cause_of_job(const JobFacts& job) {
  using enum slurm::JobState;
  switch (job.found ? job.found->state : unknown) {
    case timeout:
    case deadline:
      return FailureCause::time_limit;
    case out_of_memory:
      return FailureCause::out_of_memory;
    case cancelled:
      return FailureCause::cancelled;
    case node_fail:
    case boot_fail:
      return FailureCause::node_failure;
    case preempted:
      return FailureCause::preempted;
    default:
      return FailureCause::other;
  }
}

/// Why a point has ended in a job, where no record says so.
FailureCause cause_without_record(const PointFacts& facts, const JobFacts& job) {
  if (is_cancelled(facts, job)) {
    return FailureCause::cancelled;
  }
  if (job.end_in_pack) {
    return job.end_in_pack->out_of_memory ? FailureCause::out_of_memory : FailureCause::other;
  }
  return cause_of_job(job);
}

/// A record without an end, of a job that is gone.
PointEnd end_of_lost(const PointFacts& facts, const JobFacts& job) {
  return {.state = PointState::lost,
          .cause = cause_without_record(facts, job),
          .reason = is_local_job(job.id)       ? "the process is gone"
                    : !job.end_in_pack         ? ended_reason(job)
                    : is_cancelled(facts, job) ? "CANCELLED"
                                               : reason_of_end(*job.end_in_pack),
          .is_recorded = true};
}

/// The program knows only the signal that ended it; the scheduler knows why it was sent.
void add_why_ended(const PointFacts& facts, const JobFacts& job, PointEnd& end) {
  if (is_cancelled(facts, job)) {
    end.cause = FailureCause::cancelled;
    end.reason += " (CANCELLED)";
    return;
  }
  if (end.state == PointState::stopped && end.cause != FailureCause::before_limit &&
      facts.limit_s) {
    end.cause = FailureCause::time_limit;
    end.reason = fmt::format("time limit of {} ({})", format_duration(*facts.limit_s), end.reason);
  }
  if (end.cause != FailureCause::other && end.cause != FailureCause::none) {
    return;
  }
  if (const auto cause = cause_of_job(job); cause != FailureCause::other && !is_live(job)) {
    end.cause = cause;
    end.reason += fmt::format(" ({})", to_text(job.found->state));
  }
  end.exit_code = job.end_in_pack ? fmt::format("{}:0", job.end_in_pack->status)
                  : job.found     ? job.found->exit_code
                                  : "";
}

PointEnd end_of_record(const PointFacts& facts, const record::RecordHeader& header) {
  const auto& job = facts.job_of_newest;
  PointEnd end{
      .cause = record::cause_of(header), .reason = header.outcome_text.str(), .is_recorded = true};
  if (is_done(header)) {
    end.state = PointState::complete;
    return end;
  }
  switch (record::outcome_of(header)) {
    case run::Outcome::running:
      end.state = PointState::running;
      return is_gone(facts, job) ? end_of_lost(facts, job) : end;
    case run::Outcome::stopped:
      end.state = PointState::stopped;
      break;
    case run::Outcome::failed:
      end.state = PointState::failed;
      break;
    default:
      end.state = PointState::lost;
      return end;
  }
  add_why_ended(facts, job, end);
  return end;
}

PointEnd end_of_live(const PointFacts& facts, const JobFacts& job) {
  const bool waits = slurm::waits(job.found->state);
  const bool is_later = !waits && job.points > 1 && !facts.is_claimed;
  return {.state = waits || is_later ? PointState::pending : PointState::running,
          .reason = job.is_cancelled_alone ? "is cancelled: its job leaves it out"
                    : is_later             ? "its job runs others first"
                                           : state_and_reason(*job.found)};
}

/// A job that is gone, of which there is no record.
PointEnd end_of_missing(const PointFacts& facts, const JobFacts& job) {
  return {.state = PointState::missing,
          .cause = cause_without_record(facts, job),
          .reason = is_cancelled(facts, job) ? "CANCELLED"
                    : job.end_in_pack        ? reason_of_end(*job.end_in_pack)
                    : is_local_job(job.id)   ? "ended without a record"
                                             : ended_reason(job)};
}

/// Of an array: its record has another number.
bool is_element(const std::string& job) {
  return job.find('_') != std::string::npos;
}

}  // namespace

PointEnd end_of(const PointFacts& facts) {
  const auto* attempt = attempt_of(facts);
  const auto& job = attempt == nullptr ? facts.job : facts.job_of_newest;
  if (attempt != nullptr) {
    const auto recorded = end_of_record(facts, attempt->header);
    // Slurm starts such a job again. The job that asks has ended its attempt, and lives only to
    // ask.
    const bool begins_again = has_ended(recorded.state) && recorded.state != PointState::complete &&
                              is_live(job) && !job.is_own && !job.end_in_pack;
    return begins_again ? end_of_live(facts, job) : recorded;
  }
  if (job.id.empty()) {
    return {};
  }
  if (is_gone(facts, job)) {
    return end_of_missing(facts, job);
  }
  if (is_live(job)) {
    return end_of_live(facts, job);
  }
  // Nobody knows: the runner is about to start it, or the scheduler does not answer.
  return {.state = facts.is_claimed ? PointState::running : PointState::pending};
}

const Attempt* attempt_of(const PointFacts& facts) {
  if (facts.attempts.empty()) {
    return nullptr;
  }
  const auto& newest = facts.attempts.back();
  const auto& job = facts.job;
  if (is_done(newest.header)) {
    return is_live(job) && newest.header.job_id.view() != job.found->id ? nullptr : &newest;
  }
  return job.id.empty() || is_element(job.id) || newest.header.job_id == job.id ? &newest : nullptr;
}

bool is_followed(const PointFacts& facts, const Attempt& attempt) {
  return std::ranges::any_of(facts.attempts,
                             [&](const Attempt& other) {
                               return other.header.job_id == attempt.header.job_id &&
                                      other.header.restart > attempt.header.restart;
                             }) ||
         (facts.is_claimed && !is_element(facts.job.id) && attempt.header.job_id != facts.job.id);
}

bool is_gone(const PointFacts& facts, const JobFacts& job) {
  return job.end_in_pack || (!is_live(job) && (is_local_job(job.id) ? !facts.runner_is_active
                                                                    : facts.scheduler_answers));
}

}  // namespace epochcast::jobs
