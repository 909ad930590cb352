#include "jobs/submit/resubmit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "jobs/campaign/claims.hpp"
#include "jobs/campaign/journal.hpp"
#include "jobs/campaign/out_folder.hpp"
#include "jobs/ledger/ledgers.hpp"
#include "jobs/ledger/margin.hpp"
#include "jobs/scheduler/local.hpp"
#include "jobs/script/sbatch_header.hpp"
#include "jobs/submit/reconcile.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/quantity.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/efficiency/job_use.hpp"
#include "src/forecast/run/left.hpp"
#include "src/record/json_lines.hpp"
#include "src/record/queries.hpp"

namespace epochcast::jobs {
namespace {

/// Writes the journal first: if this process is killed in between, the job still has its claim, and
/// the state of the point is unchanged.
void release(const OutFolder& out, Journal& journal, const PointStatus& point, bool resumes,
             std::string_view reason) {
  set_resume(out, point.point, resumes);
  journal.released(point.point, point.job, std::string(reason));
  remove_claim(out, point.point);
}

bool is_by_limit(run::FailureCause cause) {
  return cause == run::FailureCause::time_limit || cause == run::FailureCause::before_limit;
}

bool is_again(const std::optional<NextAttempt>& next) {
  return next && next->is_allowed();
}

std::vector<PointStatus> choose(const SubmitRequest& request, const ResubmitFilter& filter,
                                const RetryPolicy& policy) {
  auto report = status_with_lost_closed(request.out, request.filters);
  if (LocalScheduler::here() == nullptr) {  // it knows its jobs, and closes its rows at the end
    if (!report.scheduler_problem.empty()) {
      throw RunError(fmt::format(
          "the controller does not answer ({}), so it is not known which jobs have ended; "
          "run this command again later",
          report.scheduler_problem));
    }
    close_ledger_rows(OutFolder(request.out), report.points, [](const std::string&) {});
  }
  const std::set<std::string> requested(request.points.begin(), request.points.end());
  std::erase_if(report.points, [&](const PointStatus& point) {
    return (!requested.empty() && !requested.contains(point.point)) ||
           !(is_selected(point, filter) || (filter.retry && is_again(policy.next(point))));
  });
  return std::move(report.points);
}

/// Whether a program that stopped was asked to by somebody who left no other trace, as `scancel
/// --signal` does: it says so by its exit status, which its script passes on. Where the script or
/// srun was killed, that status does not arrive, and Slurm ends the program. True where the status
/// of the script is not known any more.
bool was_asked_to_stop(const PointStatus& point) {
  if (point.state != PointState::stopped ||
      (point.cause != run::FailureCause::other && point.cause != run::FailureCause::none)) {
    return false;
  }
  auto code = point.exit_code;
  if (code.empty() && !is_local_job(point.job)) {
    const auto info = scheduler().info(point.job);
    code = info ? info->exit_code : "";
  }
  return code.empty() || code == "0:0" || code == std::to_string(exit_stopped) + ":0";
}

/// The only node of the job of a point, from its record, else from Slurm: a node may fail before a
/// record begins. "" if there were several or none is known.
std::string node_of(const PointStatus& point, const record::Record& record) {
  const auto* row = record::allocation_row(record, "node_list");
  auto nodes = row == nullptr ? "" : row->got.str();
  nodes = nodes.empty() ? scheduler().node_list_of(point.job) : nodes;
  return nodes.find_first_of("[,") == std::string::npos ? nodes : "";
}

/// The limit that the rest of a run needs, after the last epoch that its record has: the upper end
/// of its forecast (95 %), start-up and margin; 0 if that is not known, or no shorter than the
/// limit of its allocation.
Seconds limit_of_rest(record::Record record, const AllocationProfile& site) {
  record::keep_first_rank(record);
  if (record.epochs.empty()) {
    return {};
  }
  const auto& last = record.epochs.back();
  const auto left = forecast::left_s(
      forecast::observed(record), forecast::length_of_running(record), last.start_s + last.wall_s);
  if (!left) {
    return {};
  }
  const auto [needed_s, limit, fits] = limit_for(
      record::before_program_s(record) + record.epochs.front().start_s + left->interval_95.high,
      site);
  return fits && limit != site.asks.time ? limit : Seconds{};
}

/// `memory` times a factor, in whole MiB, at most `most`.
Bytes grown(Bytes memory, const RetryRule& rule) {
  const auto wanted = std::ceil(rule.memory * static_cast<double>(memory.value) / mebibyte);
  const Bytes more{static_cast<std::int64_t>(wanted * mebibyte)};
  return rule.most.value > 0 && more.value > rule.most.value ? rule.most : more;
}

ResubmitReport resubmit_locked(const OutFolder& out, const SubmitRequest& request,
                               const ResubmitFilter& filter) {
  const auto origin = read_origin(out);
  const bool local = origin.cluster.is_local() || LocalScheduler::here() != nullptr;
  const bool can_resume = origin.context.resumes;
  Journal journal(out.journal());
  if (!local && !request.dry_run) {
    std::ignore = reconcile(journal, out);
  }
  const RetryPolicy policy(out);
  ResubmitReport report;
  report.points = choose(request, filter, policy);
  SubmitRequest chosen = request;
  chosen.points.clear();
  for (const auto& point : report.points) {
    const auto next = policy.next(point);
    const bool by_rule = filter.retry && is_again(next);
    const bool resumes = by_rule ? next->rule.action != "restart" : is_resumable(point);
    auto line = fmt::format("{} was {}, {}", point.point, to_text(point.state),
                            resumes && can_resume ? "resumes" : "starts over");
    if (by_rule) {
      line += fmt::format(": {}", to_text(point.cause));
    }
    chosen.points.push_back(point.point);
    if (next) {
      policy.ask(point, *next, chosen, line);
    }
    report.lines.push_back(std::move(line));
    if (!request.dry_run) {
      release(out, journal, point, resumes, by_rule ? to_text(point.cause) : "");
    }
  }
  if (filter.retry) {
    chosen.points.insert(chosen.points.end(), journal.wanted().begin(), journal.wanted().end());
  }
  if (!local && !request.dry_run && !chosen.points.empty()) {
    report.submitted = submit_locked(chosen);
  }
  return report;
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
    case PointState::fresh:  // a call that released it did not submit it, or a pack left it out
      return point.jobs > 0 ? ResubmitReason::missing : ResubmitReason::none;
    case PointState::complete:
      return !point.tainted.empty()     ? ResubmitReason::tainted
             : !point.disturbed.empty() ? ResubmitReason::disturbed
                                        : ResubmitReason::none;
    default:
      return ResubmitReason::none;
  }
}

bool is_selected(const PointStatus& point, const ResubmitFilter& filter) {
  switch (reason_of(point)) {
    case ResubmitReason::failed:
      return filter.failed;
    case ResubmitReason::timeout:
      return filter.timeout;
    case ResubmitReason::missing:
      return filter.missing || (filter.timeout && point.state == PointState::fresh);
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
         point.state == PointState::missing || point.state == PointState::fresh ||
         (point.state == PointState::failed && point.task == run::Task::infer);
}

RetryPolicy::RetryPolicy(const OutFolder& out) : origin_(read_origin(out)) {}

bool RetryPolicy::is_declared() const {
  return !origin_.cluster.is_local() &&
         std::ranges::any_of(origin_.cluster.allocations, [&](const AllocationProfile& site) {
           return retry_of(run::Task::train, site, origin_.context).submits();
         });
}

std::optional<NextAttempt> RetryPolicy::next(const PointStatus& point) const {
  const auto* site = find_profile(origin_.cluster, point.allocation);
  if (site == nullptr || !has_ended(point.state) || point.state == PointState::complete) {
    return std::nullopt;
  }
  const auto retry = retry_of(point.task, *site, origin_.context);
  NextAttempt next{.rule = retry.rule_of(point.cause)};
  if (!next.rule.submits() || was_asked_to_stop(point)) {
    return std::nullopt;
  }
  const auto attempts = std::max(point.attempts, point.jobs);
  if (std::cmp_greater_equal(attempts, retry.attempts)) {
    return NextAttempt{.why_not =
                           fmt::format("{} of {}", counted(attempts, "attempt"), retry.attempts)};
  }
  if (next.rule.memory > 1 && is_local_job(point.job)) {
    next.why_not = "no scheduler gives it more memory";
  } else if (next.rule.memory > 1) {
    const Bytes had{parse_bytes(point.memory).value_or(site->asks.memory.value)};
    next.memory = grown(had, next.rule);
    if (memory_option(*site, next.memory).empty()) {
      next.why_not = "its allocation asks for no amount of memory";
    } else if (next.memory.value <= had.value) {
      next.why_not = fmt::format("it had {}, the most that is allowed", to_text(had));
    }
  }
  return next;
}

void RetryPolicy::ask(const PointStatus& point, const NextAttempt& next, SubmitRequest& request,
                      std::string& line) const {
  if (next.memory.value > 0) {
    request.memory[point.point] = next.memory;
    line += fmt::format(", with {}", to_text(next.memory));
  }
  const bool by_limit = next.rule.action == "resume" && is_by_limit(point.cause);
  if (!next.rule.exclude_node && !by_limit) {
    return;
  }
  auto record = point.record.empty()
                    ? record::Record{}
                    : record::read_json_lines(record::json_lines_path(point.record)).record;
  if (const auto node = next.rule.exclude_node ? node_of(point, record) : ""; !node.empty()) {
    request.exclude[point.point] = node;
    line += ", not on " + node;
  }
  if (by_limit) {
    const auto site =
        with_lead(profile_of(origin_.cluster, point.allocation), origin_.context.checkpoint_lead);
    if (const auto limit = limit_of_rest(std::move(record), site); limit.value > 0) {
      request.limits[point.point] = limit;
      line += fmt::format(", limit {}", to_text(limit));
    }
  }
}

ResubmitReport resubmit(const SubmitRequest& request, const ResubmitFilter& filter) {
  const OutFolder out(request.out);
  require_made_here(out);
  const auto lock = lock_to_submit(out, request.lock_timeout_s);
  return resubmit_locked(out, request, filter);
}

ResubmitReport retry(const std::string& out, bool dry_run) {
  return RetryPolicy(OutFolder(out)).is_declared() ? resubmit({.out = out,
                                                               .filters = {},
                                                               .points = {},
                                                               .dry_run = dry_run,
                                                               .lock_timeout_s = many_jobs_end_s},
                                                              {.retry = true})
                                                   : ResubmitReport{};
}

}  // namespace epochcast::jobs
