#include "jobs/submit/resubmit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "jobs/campaign/claims.hpp"
#include "jobs/campaign/journal.hpp"
#include "jobs/campaign/lock.hpp"
#include "jobs/campaign/out_folder.hpp"
#include "jobs/campaign/relocation.hpp"
#include "jobs/ledger/outcomes.hpp"
#include "jobs/submit/reconcile.hpp"
#include "src/core/error.hpp"

namespace epochcast::jobs {
namespace {

bool ended_at_limit(const PointStatus& point) {
  return point.state == PointState::stopped || point.cause == run::FailureCause::time_limit;
}

/// The claim goes first: if we are killed in between, the journal still has the job and the point
/// shows as before.
void release(const OutFolder& out, Journal& journal, const PointStatus& point) {
  set_resume(out, point.point, is_resumable(point));
  release_claim(out, point.point, point.job);
  journal.released(point.point, point.job);
}

std::vector<PointStatus> choose(const SubmitRequest& request, const ResubmitFilter& wanted) {
  auto report = status(request.out, request.filters);
  if (!report.scheduler_problem.empty()) {
    throw RunError(
        fmt::format("the controller does not answer ({}), so no attempt is known to be dead; run "
                    "this again later",
                    report.scheduler_problem));
  }
  close_ledger_rows(OutFolder(request.out), report.points, [](const std::string&) {});
  const auto is_asked = [&](const std::string& point) {
    const auto& asked = request.points;
    return asked.empty() || std::find(asked.begin(), asked.end(), point) != asked.end();
  };
  std::erase_if(report.points, [&](const PointStatus& point) {
    return !is_wanted(point, wanted) || !is_asked(point.point);
  });
  return std::move(report.points);
}

}  // namespace

bool is_wanted(const PointStatus& point, const ResubmitFilter& wanted) {
  const bool at_limit = ended_at_limit(point);
  const bool gone =
      !at_limit && (point.state == PointState::lost || point.state == PointState::missing);
  return (wanted.failed && point.state == PointState::failed) || (wanted.timeout && at_limit) ||
         (wanted.missing && gone) ||
         (wanted.tainted && point.state == PointState::complete && !point.tainted.empty());
}

bool is_resumable(const PointStatus& point) {
  return point.state == PointState::stopped || point.state == PointState::lost ||
         point.state == PointState::missing ||
         (point.state == PointState::failed && point.task == "infer");
}

ResubmitReport resubmit(const SubmitRequest& request, const ResubmitFilter& wanted) {
  const OutFolder out(request.out);
  const bool local = read_origin(out).cluster.is_local();
  require_made_here(out);
  ResubmitReport report;
  SubmitRequest chosen = request;
  chosen.points.clear();
  {
    const FolderLock lock(out.root / ".submit.lock", "submit");
    Journal journal(out.journal());
    if (!local && !request.dry_run) {
      reconcile(journal, out);
    }
    report.points = choose(request, wanted);
    for (const auto& point : report.points) {
      chosen.points.push_back(point.point);
      if (!request.dry_run) {
        release(out, journal, point);
      }
    }
  }
  if (!local && !request.dry_run && !chosen.points.empty()) {
    report.submitted = submit(chosen);
  }
  return report;
}

}  // namespace epochcast::jobs
