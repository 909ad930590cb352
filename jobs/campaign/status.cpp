#include "jobs/campaign/status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "jobs/campaign/attempts.hpp"
#include "jobs/campaign/claims.hpp"
#include "jobs/campaign/journal.hpp"
#include "jobs/campaign/out_folder.hpp"
#include "jobs/campaign/relocation.hpp"
#include "jobs/campaign/remaining.hpp"
#include "jobs/campaign/swept.hpp"
#include "src/core/error.hpp"
#include "src/core/file_lock.hpp"
#include "src/core/files.hpp"
#include "src/record/outcome.hpp"
#include "src/record/writer.hpp"
#include "src/slurm/queue.hpp"

namespace epochcast::jobs {
namespace {

bool is_local_job(const std::string& job) {
  return job.starts_with("local-");
}

/// What the scheduler, or for local jobs the runner's lock, knows of the jobs of a folder.
class Witness {
 public:
  Witness(const std::set<std::string>& jobs, bool runner_at_work)
      : runner_at_work_(runner_at_work) {
    std::vector<std::string> ours;
    std::copy_if(jobs.begin(), jobs.end(), std::back_inserter(ours),
                 [](const auto& job) { return !is_local_job(job); });
    if (ours.empty()) {
      return;
    }
    const auto queue = slurm::ask_queue();
    answered_ = queue.answered;
    problem_ = queue.answered ? "" : queue.error;
    take(queue.jobs);
    std::erase_if(ours, [&](const std::string& job) { return jobs_.contains(job); });
    if (answered_ && !ours.empty()) {
      take(slurm::ask_accounting(ours).jobs);  // where accounting is off, the record alone tells
    }
  }

  const std::string& problem() const { return problem_; }

  const slurm::Job* find(const std::string& job) const {
    const auto found = jobs_.find(job);
    return found == jobs_.end() ? nullptr : &found->second;
  }

  /// Only an answer that does not have the job, or has it as ended, makes it gone.
  bool is_gone(const std::string& job) const {
    if (is_local_job(job)) {
      return !runner_at_work_;
    }
    const auto* known = find(job);
    return answered_ && (known == nullptr || !slurm::is_live(known->state));
  }

 private:
  void take(const std::vector<slurm::Job>& jobs) {
    for (const auto& job : jobs) {
      jobs_[job.id] = job;
      jobs_[job.name] = job;
    }
  }

  bool runner_at_work_;
  bool answered_ = true;
  std::string problem_;
  std::map<std::string, slurm::Job> jobs_;
};

std::string ended_reason(const slurm::Job* job) {
  if (job == nullptr) {
    return "its job is gone; the scheduler no longer says why";
  }
  const bool plain = job->exit_code.empty() || job->exit_code == "0:0";
  return plain ? job->state : fmt::format("{}, exit {}", job->state, job->exit_code);
}

/// What Slurm's state of the ended job says about the cause.
run::FailureCause cause_of_job(const slurm::Job* job) {
  constexpr std::array causes{
      std::pair{"TIMEOUT", run::FailureCause::time_limit},
      std::pair{"DEADLINE", run::FailureCause::time_limit},
      std::pair{"OUT_OF_MEMORY", run::FailureCause::out_of_memory},
      std::pair{"CANCELLED", run::FailureCause::cancelled},
      std::pair{"NODE_FAIL", run::FailureCause::node_failure},
      std::pair{"BOOT_FAIL", run::FailureCause::node_failure},
  };
  for (const auto& [state, cause] : causes) {
    if (job != nullptr && job->state.starts_with(state)) {
      return cause;
    }
  }
  return run::FailureCause::other;
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
    case run::Outcome::lost:
    case run::Outcome::unknown:
      break;
  }
  return PointState::lost;
}

/// Whether a runner is at work in OUT, or in the folder that OUT's scripts write to.
bool runs_here(const OutFolder& out, const std::optional<std::filesystem::path>& original) {
  constexpr auto lock = ".run.lock";
  return is_locked(out.root / lock) || (original && is_locked(*original / lock));
}

class Inspection {
 public:
  Inspection(const OutFolder& out, const std::vector<std::string>& filters, LocalJobs local_jobs)
      : out_(out),
        index_(read_index(out)),
        swept_(swept_values(index_)),
        rows_(select(index_, filters)),
        attempts_(read_attempts(out)),
        claims_(read_claims(out)),
        journal_(out.journal()),
        original_(made_elsewhere(out)),
        witness_(jobs(), local_jobs == LocalJobs::as_locked && runs_here(out, original_)) {}

  StatusReport run() {
    StatusReport report;
    report.made_as = original_.value_or("").string();
    report.scheduler_problem = witness_.problem();
    for (const auto& row : rows_) {
      auto point = inspect(row[Index::point], row[Index::allocation]);
      if (const auto task = index_.column("task")) {
        point.task = row[*task];
      }
      if (row[Index::current] == "yes" || point.state != PointState::not_submitted) {
        report.points.push_back(std::move(point));
      }
    }
    return report;
  }

 private:
  /// The job that has a point: its claim says so, else the journal, else its last record.
  std::string job_of(const std::string& point) const {
    if (const auto claim = claims_.find(point); claim != claims_.end()) {
      return claim->second;
    }
    if (const auto job = journal_.jobs().find(point); job != journal_.jobs().end()) {
      return job->second;
    }
    return "";
  }

  std::set<std::string> jobs() const {
    std::set<std::string> jobs;
    for (const auto& row : rows_) {
      jobs.insert(job_of(row[Index::point]));
    }
    for (const auto& [point, list] : attempts_) {
      for (const auto& attempt : list) {
        if (record::outcome_of(attempt.header) == run::Outcome::running) {
          jobs.insert(attempt.header.job_id.str());
        }
      }
    }
    jobs.erase("");
    return jobs;
  }

  PointStatus inspect(const std::string& point, const std::string& allocation) {
    PointStatus status{.point = point,
                       .allocation = allocation,
                       .swept = swept_.at(point),
                       .task = "",
                       .state = PointState::not_submitted,
                       .reason = "",
                       .job = job_of(point),
                       .log = "",
                       .record = "",
                       .tainted = "",
                       .elapsed_s = {},
                       .left_s = {}};
    auto* attempt = last_attempt(point, status.job);
    if (attempt != nullptr) {
      close_if_gone(*attempt);
      describe(*attempt, status);
    }
    const auto* job = witness_.find(status.job);
    const bool waits =
        job != nullptr && slurm::is_live(job->state) &&
        (attempt == nullptr || record::outcome_of(attempt->header) != run::Outcome::running);
    if (!status.job.empty() &&
        (attempt == nullptr || (waits && status.state != PointState::complete))) {
      describe_job(job, status);
    }
    status.log = log_of(status);
    return status;
  }

  /// The newest attempt; where the point was released for another, only an attempt of that other
  /// counts.
  Attempt* last_attempt(const std::string& point, const std::string& job) {
    const auto found = attempts_.find(point);
    if (found == attempts_.end()) {
      return nullptr;
    }
    auto* last = &found->second.back();
    const bool of_job =
        job.empty() || last->header.job_id == job || job.find('_') != std::string::npos;
    return of_job || record::outcome_of(last->header) == run::Outcome::complete ? last : nullptr;
  }

  void close_if_gone(Attempt& attempt) {
    const auto job = attempt.header.job_id.str();
    if (record::outcome_of(attempt.header) != run::Outcome::running || !witness_.is_gone(job)) {
      return;
    }
    const auto reason =
        is_local_job(job) ? "its process is gone" : ended_reason(witness_.find(job));
    const auto cause =
        is_local_job(job) ? run::FailureCause::other : cause_of_job(witness_.find(job));
    try {
      if (!original_) {  // the records of a copy may be links to those of the original
        std::ignore = record::close_record(attempt.record, run::Outcome::lost, reason, cause);
      }
    } catch (const Error&) {
      // The file is damaged: the JSON lines have the outcome now, and `epochcast-analyze salvage`
      // takes it.
    }
    record::set_outcome(attempt.header, run::Outcome::lost, reason, cause);
  }

  void describe(const Attempt& attempt, PointStatus& status) {
    status.state = state_of(record::outcome_of(attempt.header));
    status.cause = record::cause_of(attempt.header);
    status.reason = attempt.header.outcome_text.str();
    status.record = attempt.record;
    status.tainted = attempt.header.tainted.str();
    status.job = attempt.header.job_id.str();
    const auto progress = remaining_time(attempt.record);
    status.elapsed_s = progress.elapsed_s;
    status.left_s = progress.left_s;
  }

  void describe_job(const slurm::Job* job, PointStatus& status) const {
    if (job != nullptr && slurm::is_live(job->state)) {
      status.state = job->state == "PENDING" ? PointState::pending : PointState::running;
      status.reason = job->reason;
      status.elapsed_s = job->elapsed_s;
    } else if (is_local_job(status.job) ? !witness_.is_gone(status.job)
                                        : !witness_.problem().empty()) {
      status.state = claims_.contains(status.point) ? PointState::running : PointState::pending;
    } else {
      status.state = PointState::missing;
      status.cause = is_local_job(status.job) ? run::FailureCause::other : cause_of_job(job);
      status.reason = is_local_job(status.job) ? "ended without a record" : ended_reason(job);
    }
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
  Index index_;
  std::map<std::string, std::string> swept_;
  std::vector<CsvRow> rows_;
  std::map<std::string, std::vector<Attempt>> attempts_;
  std::map<std::string, std::string> claims_;
  Journal journal_;
  std::optional<std::filesystem::path> original_;  ///< The folder that this one is a copy of.
  Witness witness_;
};

}  // namespace

StatusReport status(const std::string& out, const std::vector<std::string>& filters,
                    LocalJobs local_jobs) {
  const OutFolder folder(out);
  return Inspection(folder, filters, local_jobs).run();
}

}  // namespace epochcast::jobs
