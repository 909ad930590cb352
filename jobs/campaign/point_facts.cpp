#include "jobs/campaign/point_facts.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "jobs/campaign/claims.hpp"
#include "jobs/campaign/earlier_files.hpp"
#include "jobs/campaign/journal.hpp"
#include "jobs/campaign/remaining.hpp"
#include "jobs/campaign/witness.hpp"
#include "jobs/scheduler/local.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/file_lock.hpp"
#include "src/record/json_lines.hpp"
#include "src/record/outcome.hpp"
#include "src/record/queries.hpp"
#include "src/slurm/job_environment.hpp"

namespace epochcast::jobs {
namespace {

bool is_running(const Attempt& attempt) {
  return record::outcome_of(attempt.header) == run::Outcome::running;
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

/// All jobs that the state of a point may depend on.
std::set<std::string> jobs_of(const std::vector<PointFacts>& points) {
  std::set<std::string> jobs;
  for (const auto& facts : points) {
    jobs.insert(facts.job.id);
    for (const auto& attempt : facts.attempts) {
      if (is_running(attempt)) {
        jobs.insert(attempt.header.job_id.str());
      }
    }
  }
  jobs.erase("");
  return jobs;
}

using JobOfPoint = std::function<JobFacts(const std::string& point, const std::string& job)>;

/// A job may have written its end, or its first lines, after the records were read and before the
/// scheduler was asked. Its record is final once the job has ended. Attempts of jobs that the
/// scheduler was not asked about stay out: they would seem to be gone.
void read_what_ended_meanwhile(const OutFolder& out, const JobOfPoint& job_of, RecordTails* tails,
                               std::vector<PointFacts>& points) {
  std::set<std::string> without;  // the ended jobs of which no attempt is known
  for (auto& facts : points) {
    for (auto& attempt : facts.attempts) {
      if (is_running(attempt) && is_gone(facts, job_of(facts.point, attempt.header.job_id.str()))) {
        attempt = read_again(attempt, tails);
      }
    }
    if (facts.attempts.empty() && !facts.job.id.empty() && is_gone(facts, facts.job)) {
      without.insert(facts.job.id);
    }
  }
  auto attempts =
      without.empty() ? std::map<std::string, std::vector<Attempt>>{} : read_attempts(out, tails);
  for (auto& facts : points) {
    if (facts.attempts.empty()) {
      facts.attempts = std::move(attempts[facts.point]);
      std::erase_if(facts.attempts, [&](const Attempt& attempt) {
        return !without.contains(attempt.header.job_id.str());
      });
    }
  }
}

/// The time limit of the job of a stopped attempt, if the signal before it ended the program.
std::optional<double> reached_limit_s(const Attempt& attempt,
                                      const std::map<std::string, double>& leads,
                                      const std::string& allocation, RecordTails* tails) {
  const auto lead = leads.find(allocation);
  if (record::outcome_of(attempt.header) != run::Outcome::stopped || is_done(attempt.header) ||
      lead == leads.end()) {
    return std::nullopt;
  }
  const auto lines_path = record::json_lines_path(attempt.record);
  const auto record =
      tails == nullptr ? record::read_json_lines(lines_path).record : *tails->find(lines_path);
  return ended_at_limit(record, lead->second) ? record::time_limit_s(record) : std::nullopt;
}

}  // namespace

FolderFacts gather_facts(const OutFolder& out, const std::vector<std::string>& filters,
                         RecordTails* tails) {
  // The records before the claims and the journal: a job that begins meanwhile has these first.
  const auto index = read_index(out);
  auto attempts = read_attempts(out, tails);
  const auto claims = read_claims(out);
  const auto journal = read_journal(out);
  const auto original = original_of(out);
  const bool runner_is_active =  // here, or in the folder that the scripts of OUT write to
      LocalScheduler::here() == nullptr &&
      (is_locked(out.root / ".run.lock") || (original && is_locked(*original / ".run.lock")));

  FolderFacts folder{.made_as = original.value_or("").string()};
  const auto swept = swept_values(index);
  const auto task = index.column("task");
  for (const auto& row : select(index, filters)) {
    const auto& point = row[Index::point];
    const auto claim = claims.find(point);
    const auto submitted = journal.jobs().find(point);
    const auto* last = journal.last(point);
    PointFacts facts{.point = point,
                     .allocation = row[Index::allocation],
                     .swept = swept.at(point),
                     .task = task ? run::stated_task(row[*task]) : run::Task::command,
                     .is_current = row[Index::current] == "yes",
                     .jobs = journal.count(point),
                     .memory = last == nullptr ? "" : last->memory,
                     .submitted = submitted == journal.jobs().end() ? "" : submitted->second,
                     .is_claimed = claim != claims.end(),
                     .is_cancelled = journal.is_cancelled(point),
                     .attempts = std::move(attempts[point]),
                     .runner_is_active = runner_is_active};
    facts.job.id = facts.is_claimed ? claim->second : facts.submitted;
    // The newest attempt is that of the point's job, also if a clock was set back before it.
    std::ranges::stable_partition(facts.attempts, [&](const Attempt& attempt) {
      return attempt.header.job_id.view() != facts.job.id;
    });
    folder.points.push_back(std::move(facts));
  }

  const Witness witness(jobs_of(folder.points), journal);
  folder.scheduler_problem = witness.problem();
  const auto own_job = slurm::variable(slurm::current_environment(), "SLURM_JOB_ID");
  const auto job_of = [&](const std::string& point, const std::string& job) {
    const auto* found = witness.find(job);
    const auto noted = journal.in_job(point, job);
    return JobFacts{.id = job,
                    .found = found == nullptr ? std::nullopt : std::optional(*found),
                    .end_in_pack = noted.end,
                    .is_cancelled_alone = noted.is_cancelled_alone,
                    .is_own = job == own_job,
                    .is_released = noted.is_released,
                    .points = journal.points_of(job)};
  };
  for (auto& facts : folder.points) {
    facts.scheduler_answers = witness.problem().empty();
    facts.job = job_of(facts.point, facts.job.id);
  }
  read_what_ended_meanwhile(out, job_of, tails, folder.points);

  const auto leads = signal_leads(out);
  for (auto& facts : folder.points) {
    if (!facts.attempts.empty()) {
      const auto& newest = facts.attempts.back();
      facts.job_of_newest = job_of(facts.point, newest.header.job_id.str());
      facts.limit_s = reached_limit_s(newest, leads, facts.allocation, tails);
    }
  }
  return folder;
}

}  // namespace epochcast::jobs
