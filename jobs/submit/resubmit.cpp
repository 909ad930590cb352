#include "jobs/submit/resubmit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "jobs/campaign/claims.hpp"
#include "jobs/campaign/journal.hpp"
#include "jobs/campaign/out_folder.hpp"
#include "jobs/ledger/ledgers.hpp"
#include "jobs/submit/reconcile.hpp"
#include "src/base/core/error.hpp"

namespace epochcast::jobs {
namespace {

/// Releases the claim first: if this process is killed in between, the journal still has the job,
/// and the state of the point is unchanged.
void release(const OutFolder& out, Journal& journal, const PointStatus& point) {
  set_resume(out, point.point, is_resumable(point));
  release_claim(out, point.point, point.job);
  journal.released(point.point, point.job);
}

std::vector<PointStatus> choose(const SubmitRequest& request, const ResubmitFilter& filter) {
  auto report = status_with_lost_closed(request.out, request.filters);
  if (!report.scheduler_problem.empty()) {
    throw RunError(fmt::format(
        "the controller does not answer ({}), so it is not known which jobs have ended; "
        "run this command again later",
        report.scheduler_problem));
  }
  close_ledger_rows(OutFolder(request.out), report.points, [](const std::string&) {});
  const auto is_requested = [&](const std::string& point) {
    const auto& selected = request.points;
    return selected.empty() || std::ranges::find(selected, point) != selected.end();
  };
  std::erase_if(report.points, [&](const PointStatus& point) {
    return !is_selected(point, filter) || !is_requested(point.point);
  });
  return std::move(report.points);
}

}  // namespace

ResubmitReason reason_of(const PointStatus& point) {
  switch (point.state) {
    case PointState::failed:
      return ResubmitReason::failed;
    case PointState::stopped:
      return ResubmitReason::timeout;
    case PointState::lost:
    case PointState::missing:
      return point.cause == run::FailureCause::time_limit ? ResubmitReason::timeout
                                                          : ResubmitReason::missing;
    case PointState::complete:
      return !point.tainted.empty()     ? ResubmitReason::tainted
             : !point.disturbed.empty() ? ResubmitReason::disturbed
                                        : ResubmitReason::none;
    default:
      return ResubmitReason::none;
  }
}

bool is_selected(const PointStatus& point, const ResubmitFilter& filter) {
  const bool by_limit = point.cause == run::FailureCause::time_limit ||
                        point.cause == run::FailureCause::before_limit;
  if (filter.attempts > 0 &&
      (!by_limit || std::cmp_greater_equal(point.attempts, filter.attempts))) {
    return false;
  }
  switch (reason_of(point)) {
    case ResubmitReason::failed:
      return filter.failed;
    case ResubmitReason::timeout:
      return filter.timeout;
    case ResubmitReason::missing:
      return filter.missing;
    case ResubmitReason::tainted:
      return filter.tainted;
    case ResubmitReason::disturbed:
      return filter.disturbed;
    default:
      return false;
  }
}

bool is_resumable(const PointStatus& point) {
  return point.state == PointState::stopped || point.state == PointState::lost ||
         point.state == PointState::missing ||
         (point.state == PointState::failed && point.task == run::Task::infer);
}

ResubmitReport resubmit(const SubmitRequest& request, const ResubmitFilter& filter) {
  const OutFolder out(request.out);
  const bool local = read_origin(out).cluster.is_local();
  require_made_here(out);
  ResubmitReport report;
  SubmitRequest chosen = request;
  chosen.points.clear();
  {
    const FolderLock lock(out.root / ".submit.lock", "submit", FileLock::Inherit::no,
                          request.lock_timeout_s);
    Journal journal(out.journal());
    if (!local && !request.dry_run) {
      std::ignore = reconcile(journal, out);
    }
    report.points = choose(request, filter);
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
