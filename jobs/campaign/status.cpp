#include "jobs/campaign/status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "jobs/campaign/attempts.hpp"
#include "jobs/campaign/out_folder.hpp"
#include "jobs/scheduler/local.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"
#include "src/record/json_lines.hpp"
#include "src/record/outcome.hpp"
#include "src/record/writer.hpp"

namespace epochcast::jobs {
namespace {

/// What disturbed the newest complete attempt, unless another one was undisturbed.
std::string disturbance_of(const std::vector<Attempt>& attempts) {
  std::string text;
  for (const auto& attempt : attempts) {
    if (is_done(attempt.header)) {
      if (attempt.disturbed.empty()) {
        return "";
      }
      text = attempt.disturbed;
    }
  }
  return text;
}

/// Of an attempt that ended as `end` says.
efficiency::JobUse judged_use(efficiency::JobUse use, const PointEnd& end) {
  use.has_ended = has_ended(end.state);
  use.is_in_vain = ended_without_result(end.state);
  use.cause = end.state == PointState::complete ? run::FailureCause::none : end.cause;
  efficiency::judge(use);
  return use;
}

/// Whether scripts and squeue know the job as an element of an array.
bool is_element(const PointFacts& facts, const std::string& job) {
  return facts.submitted.find('_') != std::string::npos && !is_local_job(job);
}

std::string log_of(const OutFolder& out, const PointFacts& facts, const std::string& job) {
  const auto name = is_element(facts, job) ? facts.submitted : facts.point + "-" + job;
  const auto log = out.logs() / (name + ".out");
  return is_there(log) ? log.string() : "";
}

PointStatus status_of(const OutFolder& out, const PointFacts& facts, RecordTails* tails) {
  const auto* attempt = attempt_of(facts);
  const auto& job = attempt == nullptr ? facts.job : facts.job_of_newest;
  auto end = end_of(facts);
  PointStatus status{.point = facts.point,
                     .allocation = facts.allocation,
                     .swept = facts.swept,
                     .task = facts.task,
                     .state = end.state,
                     .cause = end.cause,
                     .reason = end.reason,
                     .job = job.id,
                     .job_name = job.found                   ? job.found->name
                                 : is_element(facts, job.id) ? facts.submitted
                                                             : job.id,
                     .log = log_of(out, facts, job.id),
                     .exit_code = end.exit_code,
                     .jobs = facts.jobs,
                     .memory = facts.memory,
                     .points_of_job = job.points,
                     .is_released = job.is_released};
  if (attempt != nullptr) {
    status.record = attempt->record;
    status.tainted = attempt->header.tainted.str();
    status.attempts = facts.attempts.size();
    status.disturbed = end.state == PointState::complete ? disturbance_of(facts.attempts) : "";
  }
  if (end.is_recorded) {
    status.progress = tails == nullptr ? progress_of(attempt->record)
                                       : tails->progress(record::json_lines_path(attempt->record));
    status.use = judged_use(attempt->use, end);
  } else if (is_active(end.state) && job.found) {
    status.progress = {.elapsed_s = end.state == PointState::running ? job.found->elapsed_s : 0};
  }
  return status;
}

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

namespace {

std::vector<LostAttempt> lost_of(const PointFacts& point, const PointStatus& status) {
  const auto* newest = status.state == PointState::lost ? attempt_of(point) : nullptr;
  std::vector<LostAttempt> lost;
  for (const auto& attempt : point.attempts) {
    if (record::outcome_of(attempt.header) != run::Outcome::running) {
      continue;
    }
    if (&attempt == newest) {
      lost.push_back({status.record, status.reason, status.cause});
    } else if (is_followed(point, attempt)) {
      lost.push_back({attempt.record, "a later attempt at the point has begun"});
    }
  }
  return lost;
}

}  // namespace

StatusReport status(const std::string& out, const std::vector<std::string>& filters,
                    RecordTails* tails) {
  const OutFolder folder(out);
  const auto facts = gather_facts(folder, filters, tails);
  StatusReport report;
  report.made_as = facts.made_as;
  report.scheduler_problem = facts.scheduler_problem;
  for (const auto& point : facts.points) {
    auto status = status_of(folder, point, tails);
    if (facts.made_as.empty()) {
      std::ranges::move(lost_of(point, status), std::back_inserter(report.lost));
    }
    if (point.is_current || status.state != PointState::fresh) {
      report.points.push_back(std::move(status));
    }
  }
  return report;
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
                                     const std::vector<std::string>& filters, RecordTails* tails) {
  auto report = status(out, filters, tails);
  close_lost_records(report);
  return report;
}

}  // namespace epochcast::jobs
