#include "jobs/submit/reconcile.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "jobs/campaign/claims.hpp"
#include "jobs/scheduler/local.hpp"
#include "src/base/core/clock.hpp"
#include "src/base/core/error.hpp"

namespace epochcast::jobs {
namespace {

/// "123_4" is element 4 of job 123.
std::string without_element(const std::string& name) {
  return name.substr(0, name.find('_'));
}

class Search {
 public:
  Search(const Journal& journal, const OutFolder& out)
      : journal_(journal), claims_(read_claims(out)), queue_(scheduler_for_jobs().queue()) {
    if (!queue_.answered) {
      throw RunError(fmt::format(
          "the controller does not answer ({}); nothing is lost, run this command again later",
          queue_.error));
    }
  }

  /// The job of a submission, or "" where there is none.
  std::string job_of(const Submission& submission) const {
    for (const auto& job : queue_.jobs) {
      if (job.comment == submission.token) {
        return without_element(job.name);
      }
    }
    if (const auto claim = claims_.find(submission.points.front());
        !submission.array && claim != claims_.end() && is_new(claim->second)) {
      return claim->second;
    }
    return from_accounting(submission);
  }

 private:
  bool is_new(const std::string& job) const {
    const auto& known = journal_.all_jobs();
    return !is_local_job(job) && std::find(known.begin(), known.end(), job) == known.end();
  }

  /// Not every site stores comments, but all store the name of the job, which is the point.
  std::string from_accounting(const Submission& submission) const {
    constexpr double clock_skew_s = 120;
    const auto answer = scheduler_for_jobs().accounting_by_job_name(job_name_of(submission));
    for (const auto& job : answer.jobs) {
      const bool since =
          job.submitted_at_s + clock_skew_s >= seconds_since_1970(submission.at).value_or(0);
      if (job.comment == submission.token ||
          (job.comment.empty() && since && is_new(without_element(job.name)))) {
        return without_element(job.name);
      }
    }
    return "";
  }

  const Journal& journal_;
  std::map<std::string, std::string> claims_;
  slurm::Jobs queue_;
};

}  // namespace

std::size_t reconcile(Journal& journal, const OutFolder& out) {
  const auto open = journal.open();
  if (open.empty()) {
    return 0;
  }
  const Search search(journal, out);
  std::size_t found = 0;
  for (const auto& submission : open) {
    const auto job = search.job_of(submission);
    if (job.empty()) {
      journal.dropped(submission.token, "the scheduler did not get it");
    } else {
      journal.submitted(submission.token, job);
      found += submission.points.size();
    }
  }
  return found;
}

}  // namespace epochcast::jobs
