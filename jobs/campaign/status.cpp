#include "jobs/campaign/status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "jobs/campaign/attempts.hpp"
#include "jobs/campaign/claims.hpp"
#include "jobs/campaign/journal.hpp"
#include "jobs/campaign/out_folder.hpp"
#include "jobs/campaign/packs.hpp"
#include "jobs/campaign/witness.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/file_lock.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"
#include "src/record/json_lines.hpp"
#include "src/record/outcome.hpp"
#include "src/record/queries.hpp"
#include "src/record/writer.hpp"
#include "src/slurm/job_environment.hpp"
#include "src/slurm/queue.hpp"

namespace epochcast::jobs {
namespace {

std::string ended_reason(const slurm::Job* job) {
  if (job == nullptr) {
    return "the job is gone; the scheduler has no reason for it any more";
  }
  const bool plain = job->exit_code.empty() || job->exit_code == "0:0";
  const auto state = std::string(to_text(job->state));
  return plain ? state : fmt::format("{}, exit {}", state, job->exit_code);
}

/// Why a job of the queue does not go on; "": it does, or only waits for its turn.
std::string state_and_reason(const slurm::Job& job) {
  using enum slurm::JobState;
  const bool plain = job.state == pending || job.state == running || job.state == unknown;
  const auto state = plain ? "" : std::string(to_text(job.state));
  return state.empty() || job.reason.empty() ? state + job.reason : state + ", " + job.reason;
}

/// The cause that follows from Slurm's state of the ended job.
run::FailureCause cause_of_job(const slurm::Job* job) {
  using enum slurm::JobState;
  switch (job == nullptr ? unknown : job->state) {
    case timeout:
    case deadline:
      return run::FailureCause::time_limit;
    case out_of_memory:
      return run::FailureCause::out_of_memory;
    case cancelled:
      return run::FailureCause::cancelled;
    case node_fail:
    case boot_fail:
      return run::FailureCause::node_failure;
    case preempted:
      return run::FailureCause::preempted;
    default:
      return run::FailureCause::other;
  }
}

/// Of a point that ended while its job, which runs others too, may go on.
std::string reason_of_end(const EndInPack& end) {
  return end.out_of_memory ? "OUT_OF_MEMORY" : fmt::format("exit {}:0", end.status);
}

bool is_running(const Attempt& attempt) {
  return record::outcome_of(attempt.header) == run::Outcome::running;
}

PointState state_of(run::Outcome outcome) {
  switch (outcome) {
    case run::Outcome::running:
      return PointState::running;
    case run::Outcome::complete:
      return PointState::complete;
    case run::Outcome::stopped:
      return PointState::stopped;
    case run::Outcome::failed:
      return PointState::failed;
    default:
      return PointState::lost;
  }
}

/// Allocation -> the longest lead of a signal before the time limit; empty if the folder's profile
/// is not readable, which must not hide the states.
std::map<std::string, double> signal_leads(const OutFolder& out) {
  std::map<std::string, double> leads;
  try {
    const auto origin = read_origin(out);
    for (const auto& profile : origin.cluster.allocations) {
      leads[profile.name] =
          with_lead(profile, origin.context.checkpoint_lead).launch.signal_lead.value;
    }
  } catch (const Error&) {
  }
  return leads;
}

/// Whether a runner is active in OUT, or in the folder that the scripts of OUT write to.
bool runs_here(const OutFolder& out, const std::optional<std::filesystem::path>& original) {
  constexpr auto lock = ".run.lock";
  return is_locked(out.root / lock) || (original && is_locked(*original / lock));
}

class Inspection {
 public:
  Inspection(const OutFolder& out, const std::vector<std::string>& filters, LocalJobs local_jobs,
             RecordTails* tails)
      : out_(out),
        tails_(tails),
        index_(read_index(out)),
        swept_(swept_values(index_)),
        rows_(select(index_, filters)),
        attempts_(read_attempts(out, tails)),
        claims_(read_claims(out)),
        journal_(out.journal()),
        packs_(out, journal_),
        original_(original_of(out)),
        witness_(jobs(), journal_,
                 local_jobs == LocalJobs::as_locked && runs_here(out, original_)) {
    read_what_ended_meanwhile();
  }

  StatusReport run() {
    StatusReport report;
    report.made_as = original_.value_or("").string();
    report.scheduler_problem = witness_.problem();
    for (const auto& row : rows_) {
      auto point = inspect(row[Index::point], row[Index::allocation]);
      if (const auto task = index_.column("task")) {
        point.task = run::stated_task(row[*task]);
      }
      if (row[Index::current] == "yes" || point.state != PointState::fresh) {
        report.points.push_back(std::move(point));
      }
    }
    report.lost = std::move(lost_);
    return report;
  }

 private:
  /// A job may have written its end, or its first lines, after the records were read and before the
  /// scheduler was asked. Its record is final once the job has ended. Attempts of jobs that the
  /// scheduler was not asked about stay out: they would seem to be gone.
  void read_what_ended_meanwhile() {
    for (auto& [point, attempts] : attempts_) {
      for (auto& attempt : attempts) {
        if (is_running(attempt) && is_gone(point, attempt.header.job_id.str())) {
          attempt = read_again(attempt, tails_);
        }
      }
    }
    std::set<std::string> without;  // the ended jobs of which no attempt is known
    for (const auto& row : rows_) {
      const auto job = job_of(row[Index::point]);
      if (!job.empty() && witness_.is_gone(job) && !attempts_.contains(row[Index::point])) {
        without.insert(job);
      }
    }
    if (without.empty()) {
      return;
    }
    for (auto& [point, attempts] : read_attempts(out_, tails_)) {
      std::erase_if(attempts, [&](const Attempt& attempt) {
        return !without.contains(attempt.header.job_id.str());
      });
      if (!attempts.empty() && !attempts_.contains(point)) {
        attempts_[point] = std::move(attempts);
      }
    }
  }

  /// The job of a point, from its claim, otherwise from the journal; "" if there is none.
  std::string job_of(const std::string& point) const {
    if (const auto claim = claims_.find(point); claim != claims_.end()) {
      return claim->second;
    }
    if (const auto job = journal_.jobs().find(point);
        job != journal_.jobs().end() && !is_released(out_, point, job->second)) {
      return job->second;
    }
    return "";
  }

  /// Whether a point has ended in a job for certain.
  bool is_gone(const std::string& point, const std::string& job) const {
    return packs_.end_of(point, job) || witness_.is_gone(job);
  }

  bool is_cancelled(const std::string& point, const std::string& job) const {
    return journal_.is_cancelled(point) || packs_.is_cancelled(point, job);
  }

  /// Why a point has ended in a job, where no record says so.
  run::FailureCause cause_of(const std::string& point, const std::string& job) const {
    const auto end = packs_.end_of(point, job);
    return is_cancelled(point, job)    ? run::FailureCause::cancelled
           : is_local_job(job)         ? run::FailureCause::other
           : end && end->out_of_memory ? run::FailureCause::out_of_memory
           : end                       ? run::FailureCause::other
                                       : cause_of_job(witness_.find(job));
  }

  std::set<std::string> jobs() const {
    std::set<std::string> jobs;
    for (const auto& row : rows_) {
      jobs.insert(job_of(row[Index::point]));
    }
    for (const auto& [point, list] : attempts_) {
      for (const auto& attempt : list) {
        if (is_running(attempt)) {
          jobs.insert(attempt.header.job_id.str());
        }
      }
    }
    jobs.erase("");
    return jobs;
  }

  PointStatus inspect(const std::string& point, const std::string& allocation) {
    PointStatus status;
    status.point = point;
    status.allocation = allocation;
    status.swept = swept_.at(point);
    status.job = job_of(point);
    auto* attempt = last_attempt(point, status.job);
    if (attempt != nullptr) {
      note_if_lost(*attempt);
      describe(*attempt, status);
      status.attempts = attempts_.at(point).size();
      status.disturbed = status.state == PointState::complete ? disturbance_of(point) : "";
    }
    const auto* job = witness_.find(status.job);
    // The job that asks has ended its attempt, and lives only to ask.
    const bool is_own = attempt != nullptr && status.job == own_job_;
    const bool waits = job != nullptr && slurm::is_live(job->state) && !is_own &&
                       (attempt == nullptr || !is_running(*attempt)) &&
                       (attempt == nullptr || !packs_.end_of(point, status.job));
    if (!status.job.empty() &&
        (attempt == nullptr || (waits && status.state != PointState::complete))) {
      describe_job(job, status);
    }
    status.job_name = name_of(status);
    status.points_of_job = journal_.points_of(status.job);
    status.log = log_of(status);
    return status;
  }

  /// The newest attempt. If the point was released for another job, only an attempt of that job
  /// counts, or a complete one until that job waits or runs: it repeats what was tainted or
  /// disturbed.
  Attempt* last_attempt(const std::string& point, const std::string& job) {
    const auto found = attempts_.find(point);
    if (found == attempts_.end()) {
      return nullptr;
    }
    auto* last = &found->second.back();
    const bool of_job =
        job.empty() || last->header.job_id == job || job.find('_') != std::string::npos;
    if (is_done(last->header)) {
      const auto* again = witness_.find(job);
      const bool is_repeated = again != nullptr && slurm::is_live(again->state) &&
                               last->header.job_id.view() != again->id;
      return is_repeated ? nullptr : last;
    }
    return of_job ? last : nullptr;
  }

  /// What disturbed the newest complete attempt, unless another one was undisturbed.
  std::string disturbance_of(const std::string& point) const {
    std::string text;
    for (const auto& attempt : attempts_.at(point)) {
      if (is_done(attempt.header)) {
        if (attempt.disturbed.empty()) {
          return "";
        }
        text = attempt.disturbed;
      }
    }
    return text;
  }

  void note_if_lost(Attempt& attempt) {
    const auto job = attempt.header.job_id.str();
    const auto point = attempt.header.point.str();
    if (!is_running(attempt) || !is_gone(point, job)) {
      return;
    }
    const auto end = packs_.end_of(point, job);
    const auto cause = cause_of(point, job);
    const auto reason = is_local_job(job)                              ? "the process is gone"
                        : end && cause == run::FailureCause::cancelled ? "CANCELLED"
                        : end                                          ? reason_of_end(*end)
                              : ended_reason(witness_.find(job));
    if (!original_) {  // the records of a copy may be links to the original ones
      lost_.push_back({attempt.record, reason, cause});
    }
    record::set_outcome(attempt.header, run::Outcome::lost, reason, cause);
  }

  void describe(const Attempt& attempt, PointStatus& status) const {
    status.state = is_done(attempt.header) ? PointState::complete
                                           : state_of(record::outcome_of(attempt.header));
    status.cause = record::cause_of(attempt.header);
    status.reason = attempt.header.outcome_text.str();
    status.record = attempt.record;
    status.tainted = attempt.header.tainted.str();
    status.job = attempt.header.job_id.str();
    status.progress = tails_ == nullptr ? progress_of(attempt.record)
                                        : tails_->progress(record::json_lines_path(attempt.record));
    if (status.state == PointState::stopped || status.state == PointState::failed) {
      describe_ending(status);
    }
    describe_use(attempt.use, status);
  }

  /// The scheduler may know more of the end than the record.
  static void describe_use(efficiency::JobUse use, PointStatus& status) {
    use.has_ended = has_ended(status.state);
    use.is_in_vain = ended_without_result(status.state);
    use.cause = status.state == PointState::complete ? run::FailureCause::none : status.cause;
    efficiency::judge(use);
    status.use = std::move(use);
  }

  /// The program knows only the signal that ended it; the scheduler knows why it was sent.
  void describe_ending(PointStatus& status) const {
    if (is_cancelled(status.point, status.job)) {
      status.cause = run::FailureCause::cancelled;
      status.reason += " (CANCELLED)";
      return;
    }
    if (status.state == PointState::stopped && status.cause != run::FailureCause::before_limit) {
      describe_limit(status);
    }
    const auto* job = witness_.find(status.job);
    const auto cause = job == nullptr ? run::FailureCause::other : cause_of_job(job);
    if (status.cause == run::FailureCause::other || status.cause == run::FailureCause::none) {
      if (cause != run::FailureCause::other && !slurm::is_live(job->state)) {
        status.cause = cause;
        status.reason += fmt::format(" ({})", to_text(job->state));
      }
      const auto end = packs_.end_of(status.point, status.job);
      status.exit_code = end              ? fmt::format("{}:0", end->status)
                         : job == nullptr ? ""
                                          : job->exit_code;
    }
  }

  /// A run that stopped near its time limit names the limit, not only the signal.
  void describe_limit(PointStatus& status) const {
    const auto lead = leads_.find(status.allocation);
    const auto lines_path = record::json_lines_path(status.record);
    const auto record =
        tails_ == nullptr ? record::read_json_lines(lines_path).record : *tails_->find(lines_path);
    if (lead != leads_.end() && ended_at_limit(record, lead->second)) {
      status.cause = run::FailureCause::time_limit;
      status.reason = fmt::format("time limit of {} ({})",
                                  format_duration(*record::time_limit_s(record)), status.reason);
    }
  }

  void describe_job(const slurm::Job* job, PointStatus& status) const {
    status.use.reset();  // of an attempt before this job
    if (const auto end = packs_.end_of(status.point, status.job)) {
      status.state = PointState::missing;
      status.cause = cause_of(status.point, status.job);
      status.reason =
          status.cause == run::FailureCause::cancelled ? "CANCELLED" : reason_of_end(*end);
    } else if (job != nullptr && slurm::is_live(job->state)) {
      const bool waits = slurm::waits(job->state);
      const bool is_later =
          !waits && journal_.points_of(status.job) > 1 && !claims_.contains(status.point);
      status.state = waits || is_later ? PointState::pending : PointState::running;
      status.cause = run::FailureCause::none;
      status.reason = packs_.is_cancelled(status.point, status.job)
                          ? "is cancelled: its job leaves it out"
                      : is_later ? "its job runs others first"
                                 : state_and_reason(*job);
      status.progress = {.elapsed_s = is_later ? 0 : job->elapsed_s};
    } else if (is_local_job(status.job) ? !witness_.is_gone(status.job)
                                        : !witness_.problem().empty()) {
      status.state = claims_.contains(status.point) ? PointState::running : PointState::pending;
    } else {
      status.state = PointState::missing;
      status.cause = cause_of(status.point, status.job);
      status.reason = is_cancelled(status.point, status.job) ? "CANCELLED"
                      : is_local_job(status.job)             ? "ended without a record"
                                                             : ended_reason(job);
    }
  }

  /// The job as squeue prints it.
  std::string name_of(const PointStatus& status) const {
    if (const auto* job = witness_.find(status.job)) {
      return job->name;
    }
    const auto submitted = journal_.jobs().find(status.point);
    const bool element =
        submitted != journal_.jobs().end() && submitted->second.find('_') != std::string::npos;
    return element && !is_local_job(status.job) ? submitted->second : status.job;
  }

  std::string log_of(const PointStatus& status) const {
    const auto submitted = journal_.jobs().find(status.point);
    const bool element =
        submitted != journal_.jobs().end() && submitted->second.find('_') != std::string::npos;
    const auto log = element && !is_local_job(status.job)
                         ? out_.logs() / (submitted->second + ".out")
                         : out_.logs() / fmt::format("{}-{}.out", status.point, status.job);
    return is_there(log) ? log.string() : "";
  }

  const OutFolder& out_;
  RecordTails* tails_;
  Index index_;
  std::map<std::string, std::string> swept_;
  std::vector<CsvRow> rows_;
  std::map<std::string, std::vector<Attempt>> attempts_;
  std::map<std::string, std::string> claims_;
  Journal journal_;
  Packs packs_;
  std::optional<std::filesystem::path> original_;  ///< The folder that this one is a copy of.
  Witness witness_;
  std::map<std::string, double> leads_ = signal_leads(out_);
  std::vector<LostAttempt> lost_;
  const std::string own_job_ = slurm::variable(slurm::current_environment(), "SLURM_JOB_ID");
};

}  // namespace

std::string counts_text(std::map<PointState, std::size_t> counts) {
  std::vector<std::string> parts;
  std::size_t all = 0;
  using enum PointState;
  for (const auto state : {complete, running, pending, fresh, stopped, failed, lost, missing}) {
    all += counts[state];
    if (counts[state] > 0) {
      parts.push_back(fmt::format("{} {}", counts[state], to_text(state)));
    }
  }
  return fmt::format("{}: {}", counted(all, "point"), join(parts, ", "));
}

StatusReport status(const std::string& out, const std::vector<std::string>& filters,
                    LocalJobs local_jobs, RecordTails* tails) {
  const OutFolder folder(out);
  return Inspection(folder, filters, local_jobs, tails).run();
}

void close_lost_records(const StatusReport& report) {
  for (const auto& attempt : report.lost) {
    try {
      std::ignore =
          record::close_record(attempt.record, run::Outcome::lost, attempt.reason, attempt.cause);
    } catch (const Error&) {
      // The file is damaged. The JSON lines have the outcome now, and `epochcast-analyze salvage`
      // reads it from there.
    }
  }
}

StatusReport status_with_lost_closed(const std::string& out,
                                     const std::vector<std::string>& filters, LocalJobs local_jobs,
                                     RecordTails* tails) {
  auto report = status(out, filters, local_jobs, tails);
  close_lost_records(report);
  return report;
}

}  // namespace epochcast::jobs
