#include "jobs/plan/history_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "jobs/campaign/out_folder.hpp"
#include "jobs/plan/time_limit.hpp"
#include "jobs/submit/submit.hpp"
#include "src/base/core/clock.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/history/job_groups.hpp"
#include "src/forecast/history/past_runs.hpp"
#include "src/forecast/queue/past_queue.hpp"
#include "src/record/run/allocation.hpp"
#include "src/slurm/accounting_cells.hpp"

namespace epochcast::jobs {
namespace {

/// The pattern with the point's values instead of {placeholders}. A regular expression may have
/// braces of its own.
std::string pattern_of(const std::string& name, const Point& point) {
  auto pattern = name;
  std::vector<std::string> known;
  const auto put = [&](const std::string& key, const std::string& value) {
    const auto word = "{" + key + "}";
    known.push_back(key);
    for (auto at = pattern.find(word); at != std::string::npos;
         at = pattern.find(word, at + value.size())) {
      pattern.replace(at, word.size(), value);
    }
  };
  for (const auto& parameter : complete_parameters(point)) {
    put(parameter.name, parameter.value);
  }
  for (const auto& [key, value] : point.placeholders) {
    put(key, value);
  }
  const auto open = pattern.find('{');
  if (open != std::string::npos && !pattern.starts_with('/')) {
    const auto close = pattern.find('}', open);
    const auto word =
        pattern.substr(open + 1, close == std::string::npos ? close : close - open - 1);
    throw Error(
        fmt::format("--name: unknown placeholder '{{{}}}'{}", word, did_you_mean(word, known)));
  }
  return pattern;
}

/// A site may hand out whole cores of two CPUs each.
bool has_cpus(const run::Allocation& asks, std::int64_t cpus) {
  const auto asked = run::tasks_of(asks) * asks.cpus;
  return asks.exclusive || cpus == asked || cpus == asked + asked % 2 ||
         (asks.smt == "off" && cpus == 2 * asked);
}

bool has_resources(const slurm::AccountedJob& job, const run::Allocation& asks) {
  const bool same_gpu = asks.gpu.empty() || job.gpu.empty() || asks.gpu == job.gpu;
  const auto partitions = run::partitions_of(asks);
  const bool same_partition =
      partitions.empty() || std::ranges::find(partitions, job.partition) != partitions.end();
  return same_partition && job.nodes == asks.nodes && job.gpus == run::gpus_of(asks) && same_gpu &&
         has_cpus(asks, job.cpus);
}

std::string resources_text(const run::Allocation& asks) {
  const auto tasks = run::tasks_of(asks);
  return fmt::format("{}{}, {}, {}",
                     asks.partition.empty() ? "" : fmt::format("partition '{}', ", asks.partition),
                     counted(static_cast<std::size_t>(asks.nodes), "node"),
                     counted(static_cast<std::size_t>(tasks * asks.cpus), "CPU"),
                     counted(static_cast<std::size_t>(run::gpus_of(asks)), "GPU"));
}

std::int64_t epochs_of(const Point& point) {
  for (const auto& parameter : complete_parameters(point)) {
    if (parameter.name == "epochs") {
      return parse_integer(parameter.value).value_or(0);
    }
  }
  return 0;
}

/// For a job like the newest of `alike`, asked for now: from these, and from all other jobs as far
/// as they are like it.
std::optional<history::RunForecast> forecast_now(const PastJobs& past,
                                                 const std::vector<slurm::AccountedJob>& alike) {
  std::set<std::string> names;
  for (const auto& job : alike) {
    names.insert(job.job);
  }
  auto jobs = past.jobs;
  for (auto& job : jobs) {
    if (names.contains(job.job)) {
      job.job_name = past.name;
      job.script.clear();
    }
  }
  auto asked = *std::ranges::max_element(alike, {}, [](const auto& job) {
    return slurm::parse_stamp_s(job.submitted_at).value_or(0);
  });
  asked.job_name = past.name;
  asked.script.clear();
  asked.submitted_at = fmt::format("{:.0f}", queue::now_stamp_s());
  asked.limit_s = 0;  // what it needs is asked for, also above the limit of the allocation
  const history::PastRuns runs(jobs, asked);
  return runs.forecast(runs.batches().size() - 1);
}

}  // namespace

std::vector<slurm::AccountedJob> jobs_of_point(const PastJobs& past, const Point& point,
                                               const AllocationProfile& site) {
  const history::NamePattern pattern(pattern_of(past.name, point));
  std::vector<slurm::AccountedJob> found;
  std::ranges::copy_if(past.jobs, std::back_inserter(found), [&](const auto& job) {
    return has_resources(job, site.asks) && pattern.matches(job.job_name);
  });
  return found;
}

ledger::LedgerRow limit_from_history(const PastJobs& past, const Point& point,
                                     const AllocationProfile& allocation, const std::string& out) {
  const auto site = with_lead(allocation, lead_before_limit(point.program, {}));
  ledger::LedgerRow row;
  row.allocation = point.allocation;
  row.point = point.id;
  row.epochs = epochs_of(point);
  ask_for_all(row, site);
  row.classification = ledger::from_history;
  const auto alike = jobs_of_point(past, point, site);
  const auto answer = forecast::PastTimes(history::times_of(alike).times).forecast();
  if (const auto* refusal = std::get_if<forecast::Refusal>(&answer)) {
    row.remark = fmt::format("{} of the name '{}' ({})", refusal->reason, past.name,
                             resources_text(site.asks));
    return row;
  }
  const auto& found = std::get<forecast::HistoryForecast>(answer);
  const auto by_batches = forecast_now(past, alike);
  const auto& time_s = by_batches ? by_batches->time_s : found.time_s;
  const auto& of_95 = found.time_s.interval_95;
  if (of_95.is_known() && std::isinf(of_95.high)) {
    row.remark = fmt::format("{} of {} past jobs reached their time limit", found.cut_off, found.n);
    return row;
  }
  if (!time_s.interval_95.is_known()) {
    row.remark = fmt::format("found {} past jobs, expected at least {} for a limit", found.n,
                             forecast::fewest_for_95);
    return row;
  }
  ledger::set_forecast(row, time_s);
  const double most_s = by_batches ? by_batches->needs_s : time_s.interval_95.high;
  ask_for_limit(row, {.program_s = most_s}, site, out, true);
  if (by_batches && !by_batches->warning.empty()) {
    add_remark(row, by_batches->warning);
  }
  return row;
}

PlanReport plan_from_history(const PlanRequest& request, const PastJobs& past, const Tell& tell) {
  const OutFolder out(request.generate.out);
  require_made_here(out);
  const auto matrix = read_matrix(request.generate);
  if (matrix.cluster.is_local()) {
    throw Error(
        fmt::format("--history: needs a cluster with Slurm; '{}' has none", matrix.cluster.name));
  }
  if (!read_plan(out).empty()) {
    throw Error(
        fmt::format("--history: {} has a plan with pilots; use another folder", out.root.string()));
  }
  write_matrix(request.generate, matrix);
  SubmitRequest submission{.out = out.root,
                           .filters = {},
                           .points = {},
                           .dry_run = request.dry_run,
                           .array = false,
                           .throttle = request.throttle};
  auto open = open_forecasts(out);
  std::vector<ledger::LedgerRow> fresh;
  for (const auto& point : matrix.points) {
    auto [place, is_new] = open.try_emplace(point.id);
    auto& row = place->second;
    if (is_new) {
      row = limit_from_history(past, point, profile_of(matrix.cluster, point.allocation), out.root);
      row.made_at = iso8601();
      row.out = out.root;
      row.experiment = matrix.experiment.name;
      row.cluster = matrix.cluster.name;
      fresh.push_back(row);
    }
    tell(fmt::format("{}: {}", point.id, forecast_text(row)));
    submission.points.push_back(point.id);
    if (!std::isnan(row.asked_s)) {
      submission.limits[point.id] = {row.asked_s};
    }
  }
  if (!request.dry_run) {
    put_in_ledgers(out, fresh, tell);
  }
  const auto submitted = submit(submission);
  std::ranges::for_each(submitted.notes, tell);
  return {.pilots = 0,
          .points = matrix.points.size(),
          .is_local = false,
          .commands = submitted.commands,
          .problems = submitted.problems};
}

}  // namespace epochcast::jobs
