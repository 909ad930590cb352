#include "jobs/advise/queue_wait.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "jobs/scheduler/scheduler.hpp"
#include "jobs/script/sbatch_header.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/quantity.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/queue/past_waits.hpp"
#include "src/forecast/run/conformal.hpp"
#include "src/slurm/accounting_cells.hpp"

namespace epochcast::jobs {
namespace {

constexpr std::uint64_t seed = 1;  // the same queue gives the same advice

/// Why Slurm would refuse the job; "": it would take it. What it says of the start is far from the
/// truth (tests/bench/advise).
std::string refusal_of(AllocationProfile site, double limit_s) {
  site.asks.time = {limit_s};
  Lines lines;
  lines.raw("#!/bin/bash");
  add_sbatch_header(lines, site, std::filesystem::temp_directory_path().string(), "advise",
                    "advise-%j.out");
  lines.raw("true");
  std::string path = std::filesystem::temp_directory_path() / "epochcast-advise-XXXXXX";
  const int file = mkstemp(path.data());
  if (file < 0) {
    throw RunError(fmt::format("cannot write a file for 'sbatch --test-only' in {}",
                               std::filesystem::temp_directory_path().string()));
  }
  close(file);
  write_file(path, std::move(lines).text());
  const auto why = scheduler().refusal_of(path);
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  return why.empty() ? "" : why.front();
}

std::string user_name() {
  const auto* user = getpwuid(geteuid());
  return user == nullptr ? "" : user->pw_name;
}

constexpr const char* refuted =
    "not used: it says that the job starts at once, but no room is free for it now";

bool is_refuted(const WaitForecast& forecast) {
  return !forecast.reasons.empty() && forecast.reasons.front() == refuted;
}

/// Puts the forecasts of a start at once last, and marks them, where the queue shows that the job
/// cannot start now.
void set_apart_refuted(AllocationWait& answer, double limit_s) {
  constexpr double at_once_s = 1;
  if (!answer.gap_s || *answer.gap_s >= limit_s) {
    return;
  }
  for (auto& other : answer.others) {
    if (other.wait_s.value < at_once_s) {
      other.reasons.insert(other.reasons.begin(), refuted);
    }
  }
  std::ranges::stable_partition(answer.others,
                                [](const WaitForecast& other) { return !is_refuted(other); });
}

}  // namespace

SiteQueue query_site_queue(const std::optional<std::vector<slurm::AccountedJob>>& past,
                           std::int64_t days) {
  const double now_s = queue::now_stamp_s();  // before Slurm is asked, which can take seconds
  SiteQueue queue{.site = scheduler().site(),
                  .state = scheduler().state(),
                  .past = past.value_or(std::vector<slurm::AccountedJob>{}),
                  .now_s = now_s,
                  .notes = {}};
  if (!queue.state.answered) {
    queue.notes.push_back("Slurm does not tell its nodes and jobs: " + queue.state.error);
  }
  queue.notes.insert(queue.notes.end(), queue.state.problems.begin(), queue.state.problems.end());
  if (!past) {
    auto answer = scheduler().past_jobs(days);
    if (answer.answered) {
      queue.past = std::move(answer.accounting.jobs);
    } else {
      queue.notes.push_back("no past jobs: sacct: " + answer.error);
    }
  }
  return queue;
}

queue::ModelRequest request_of(const AllocationProfile& site, double limit_s,
                               const std::vector<slurm::Partition>& partitions) {
  const auto& asks = site.asks;
  const auto tasks = run::tasks_of(asks);
  queue::ModelRequest request{
      .user = "",
      .partitions = run::partitions_of(asks),
      .nodes = asks.nodes,
      .total = {tasks * asks.cpus, asks.nodes * asks.memory.value / mebibyte, run::gpus_of(asks)},
      .gpu = site.launch.gpu_typed ? asks.gpu : "",
      .features = asks.constraint,
      .exclusive = asks.exclusive || site.whole_memory,
      .limit_s = limit_s};
  if (request.partitions.empty()) {
    for (const auto& partition : partitions) {
      if (partition.is_default) {
        request.partitions.push_back(partition.name);
      }
    }
  }
  if (site.launch.gpu_flag == "constraint" && !asks.gpu.empty()) {
    request.gpu.clear();
    request.features += (request.features.empty() ? "" : "&") + asks.gpu;
  }
  return request;
}

WaitForecaster::WaitForecaster(SiteQueue queue)
    : site_(std::move(queue)),
      now_(queue::queue_now(site_.state, site_.site.partitions)),
      jobs_(queue::past_jobs_of(now_, site_.past, site_.state, site_.now_s)),
      shares_(queue::uses_until(jobs_, site_.now_s)) {
  now_.model.clock_s = site_.now_s;
  queue::set_arrivals(jobs_, site_.now_s, nullptr, now_.model);
}

AllocationWait WaitForecaster::wait_of(const AllocationProfile& site, double limit_s) {
  AllocationWait answer;
  auto request = request_of(site, limit_s, site_.site.partitions);
  std::erase_if(request.partitions, [&](const std::string& name) {  // those that cannot take it
    const auto& all = site_.site.partitions;
    const auto found = std::ranges::find(all, name, &slurm::Partition::name);
    return found != all.end() && found->max_time_s < limit_s && !site_.site.all_must_fit;
  });
  auto asking = site;
  if (!site.asks.partition.empty() && !request.partitions.empty()) {
    asking.asks.partition = join(request.partitions, ",");
  }
  answer.problem = refusal_of(asking, limit_s);
  if (!answer.problem.empty()) {
    return answer;
  }
  const auto job = queue::model_job(now_, request);
  if (job && site_.state.answered) {
    const auto part = queue::part_of_queue(now_.model, *job);
    const auto effort = queue::effort_for(part.model);
    if (effort.is_possible()) {
      answer.gap_s = queue::gap_now_s(part.model, part.job, effort);
      answer.others.push_back(from_queue(part, effort, request.partitions));
    } else {
      site_.notes.push_back(
          fmt::format("{}: the queue is too large for the model: {} on {}", site.name,
                      counted(part.model.running.size() + part.model.waiting.size(), "job"),
                      counted(part.model.nodes.size(), "node")));
    }
  }
  if (auto past = job ? from_past(*job, request.partitions, site.asks.account) : std::nullopt) {
    answer.others.push_back(std::move(*past));
  }
  if (answer.others.empty()) {
    answer.problem = fmt::format(
        "the wait is not known: {}, and past waits are too few; give past jobs with --history "
        "FILE, of 'epochcast-analyze import sacct'",
        !site_.state.answered ? "Slurm does not show its queue"
        : !job                ? "no known node can hold the job"
                              : "the queue is too large for the model");
    return answer;
  }
  set_apart_refuted(answer, limit_s);
  if (is_refuted(answer.others.front())) {
    answer.problem = "no room is free for the job, and no method could forecast the wait for it";
    return answer;
  }
  // The first is the model of the queue, if there is one; then past waits.
  const auto is_much_better = [&](const WaitForecast& other) {
    if (is_refuted(other)) {
      return false;
    }
    const auto& first = answer.others.front();
    constexpr auto fewest = forecast::fewest_past_forecasts;
    return first.error.n >= fewest && other.error.n >= fewest &&
           other.error.mean_score_s < first.error.mean_score_s / 2;
  };
  auto best = std::ranges::find_if(answer.others, is_much_better);
  best = best == answer.others.end() ? answer.others.begin() : best;
  answer.chosen = std::move(*best);
  answer.others.erase(best);
  return answer;
}

WaitForecast WaitForecaster::from_queue(const queue::QueuePart& part,
                                        const queue::ModelEffort& effort,
                                        const std::vector<std::string>& partitions) {
  const auto raw =
      queue::wait_of_draws(queue::wait_draws(part.model, part.job, shares_, effort, seed));
  const double resolution_s = now_.model.backfill_interval_s;
  const auto& past = scored(partitions);
  WaitForecast forecast{.source = WaitSource::queue,
                        .wait_s = queue::calibrated(raw, past, resolution_s),
                        .error = queue::measured_error(past, resolution_s),
                        .reasons = {}};
  forecast.reasons.push_back(fmt::format(
      "{} and {} on {}, {}; the first {} waiting jobs get planned starts",
      counted(part.model.running.size(), "running job"),
      counted(part.model.waiting.size(), "waiting job"), counted(part.model.nodes.size(), "node"),
      counted(effort.draws, "draw"), effort.planned));
  forecast.reasons.push_back(part.model.arrivals_per_s > 0
                                 ? fmt::format("new jobs like the latest {}, {:.3g} an hour",
                                               part.model.arrivals.size(),
                                               3600 * part.model.arrivals_per_s)
                                 : std::string("no jobs that others submit later"));
  forecast.reasons.push_back(
      shares_.size() > 0
          ? fmt::format("run times of other jobs: shares of the limit that {} used",
                        counted(shares_.size(), "past job"))
          : std::string("run times of other jobs: no past jobs are known, so any share of the "
                        "limit is taken as equally likely"));
  forecast.reasons.insert(forecast.reasons.end(), now_.notes.begin(), now_.notes.end());
  return forecast;
}

std::optional<WaitForecast> WaitForecaster::from_past(const queue::ModelJob& job,
                                                      const std::vector<std::string>& partitions,
                                                      const std::string& account) const {
  queue::PastJob asked_job{.job = job, .partitions = partitions, .account = account};
  asked_job.job.user = user_name();
  asked_job.eligible_s = site_.now_s;
  const queue::PastWaits past(jobs_, asked_job);
  const auto asked = past.batches().size() - 1;
  const auto wait_s = past.forecast_s(asked);
  if (!wait_s) {
    return std::nullopt;
  }
  const auto own = std::ranges::count_if(past.batches(), [&](const auto& of) {
    return !of.empty() && jobs_[of.front()].job.user == asked_job.job.user;
  });
  return WaitForecast{
      .source = WaitSource::past_waits,
      .wait_s = *wait_s,
      .error = queue::measured_error(past.forecasts_before(asked)),
      .reasons = {fmt::format(
          "{} in {} of one user, request and hour, {} of them yours; those that wait still count "
          "as longer",
          counted(jobs_.size(), "past job"), counted(asked, "group"), own)}};
}

const std::vector<queue::PastWait>& WaitForecaster::scored(
    const std::vector<std::string>& partitions) {
  const auto [place, is_new] = scored_.try_emplace(partitions);
  if (is_new) {
    place->second = queue::model_on_past_waits(now_, jobs_, partitions);
  }
  return place->second;
}

std::vector<std::string> WaitForecaster::notes() const {
  return site_.notes;
}

}  // namespace epochcast::jobs
