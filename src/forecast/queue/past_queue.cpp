#include "src/forecast/queue/past_queue.hpp"

#include <algorithm>
#include <ctime>
#include <map>
#include <utility>

#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/slurm/accounting_cells.hpp"
#include "src/slurm/host_list.hpp"

namespace epochcast::queue {
namespace {

using Places = std::map<std::string, std::size_t>;

std::vector<std::size_t> node_places(const std::vector<std::string>& names, const Places& places) {
  std::vector<std::size_t> found;
  for (const auto& name : names) {
    if (const auto place = places.find(name); place != places.end()) {
      found.push_back(place->second);
    }
  }
  return found;
}

std::vector<std::string> hosts_of(const std::string& list) {
  try {
    return slurm::expand_host_list(list);
  } catch (const Error&) {
    return {};  // "None assigned", or a cut list
  }
}

/// 0 stands for no limit in the accounting; a limit that is not known counts as none.
double limit_of(double limit_s) {
  return limit_s > 0 ? limit_s : never_s;
}

std::optional<PastJob> past_job(const QueueNow& queue, const slurm::AccountedJob& job,
                                const Places& places) {
  const auto submitted = slurm::parse_stamp_s(job.submitted_at);
  const auto eligible = slurm::parse_stamp_s(job.eligible_at);
  const auto ended = slurm::parse_stamp_s(job.ended_at);
  const auto started = slurm::parse_stamp_s(job.started_at);
  if ((!submitted && !eligible) || !ended) {
    return std::nullopt;
  }
  const auto model = model_job(queue, {.user = job.user,
                                       .partitions = split(job.partition, ','),
                                       .nodes = std::max<std::int64_t>(1, job.nodes),
                                       .total = {job.cpus, job.memory_mib, job.gpus},
                                       .gpu = job.gpu.find('+') == std::string::npos ? job.gpu : "",
                                       .features = "",
                                       .exclusive = false,
                                       .limit_s = limit_of(job.limit_s),
                                       .name = job.job_name});
  if (!model) {
    return std::nullopt;
  }
  PastJob past{.job = *model, .partitions = split(job.partition, ','), .account = job.account};
  past.eligible_s = eligible.value_or(submitted.value_or(0));
  past.ended_s = *ended;
  // A job that was cancelled while it waited has no start, or no nodes.
  past.has_started = started && job.nodes > 0 && job.node_list != "None assigned";
  if (job.node_list.empty()) {  // a history without the column
    past.has_started = started && *ended > *started;
  }
  past.started_s = past.has_started ? *started : never_s;
  past.ran_on = node_places(hosts_of(job.node_list), places);
  return past;
}

/// For a job of which it is not known where it ran.
std::vector<std::size_t> nodes_with_room(const ModelJob& job, const std::vector<Resources>& free) {
  std::vector<std::size_t> nodes;
  for (const auto node : job.nodes) {
    if (nodes.size() < job.count && job.each.fits_in(free[node])) {
      nodes.push_back(node);
    }
  }
  return nodes;
}

}  // namespace

double now_stamp_s() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  return static_cast<double>(timegm(&local));
}

std::vector<PastJob> past_jobs_of(const QueueNow& queue,
                                  const std::vector<slurm::AccountedJob>& ended,
                                  const slurm::ClusterState& now, double now_s) {
  Places places;
  for (std::size_t i = 0; i < queue.nodes.size(); ++i) {
    places[queue.nodes[i].name] = i;
  }
  std::vector<PastJob> jobs;
  for (const auto& job : ended) {
    if (auto past = past_job(queue, job, places)) {
      jobs.push_back(std::move(*past));
    }
  }
  for (const auto& job : now.jobs) {
    const auto eligible = slurm::parse_stamp_s(job.eligible_at);
    const bool runs = !slurm::waits(job.state);
    if (!eligible || *eligible > now_s || (!runs && !slurm::waits_for_room(job))) {
      continue;
    }
    auto model = model_job(queue, request_of(job));
    if (!model) {
      continue;
    }
    PastJob past{.job = std::move(*model), .partitions = job.partitions};
    past.eligible_s = *eligible;
    past.has_started = runs;
    past.started_s = runs ? std::max(*eligible, now_s - job.elapsed_s) : never_s;
    past.ran_on = node_places(job.node_names, places);
    jobs.push_back(std::move(past));
  }
  std::ranges::stable_sort(jobs, {}, &PastJob::eligible_s);
  return jobs;
}

QueueModel queue_at(const QueueNow& queue, const std::vector<PastJob>& jobs, double time_s,
                    const PastJob* but) {
  QueueModel model{.nodes = {}, .running = {}, .waiting = {}};
  model.backfill_interval_s = queue.model.backfill_interval_s;
  model.clock_s = time_s;
  model.nodes = queue.model.nodes;
  std::vector<Resources> free = model.nodes;
  for (const auto& past : jobs) {
    if (past.eligible_s > time_s) {
      break;  // sorted
    }
    if (&past == but || past.ended_s <= time_s) {
      continue;
    }
    if (past.started_s > time_s) {
      model.waiting.push_back(past.job);
      continue;
    }
    auto running = past.job;
    running.elapsed_s = time_s - past.started_s;
    running.nodes = past.ran_on.empty() ? nodes_with_room(running, free) : past.ran_on;
    for (const auto node : running.nodes) {
      free[node].add(running.each, -1);
    }
    model.running.push_back(std::move(running));
  }
  std::ranges::stable_sort(model.waiting, std::greater<>(), &ModelJob::tier);
  set_arrivals(jobs, time_s, but, model);
  return model;
}

void set_arrivals(const std::vector<PastJob>& jobs, double time_s, const PastJob* but,
                  QueueModel& model) {
  constexpr std::size_t most = 50;
  constexpr double longest_s = 86400;
  const auto end = std::ranges::upper_bound(jobs, time_s, {}, &PastJob::eligible_s);
  double first_s = time_s;
  for (auto job = end; job != jobs.begin() && model.arrivals.size() < most;) {
    --job;
    if (job->eligible_s < time_s - longest_s) {
      first_s = time_s - longest_s;
      break;
    }
    if (&*job != but) {
      model.arrivals.push_back(job->job);
      first_s = job->eligible_s;
    }
  }
  const auto count = static_cast<double>(model.arrivals.size());
  model.arrivals_per_s = time_s > first_s ? count / (time_s - first_s) : 0;
}

std::vector<PastUse> uses_until(const std::vector<PastJob>& jobs, double time_s) {
  std::vector<PastUse> uses;
  for (const auto& past : jobs) {
    if (past.has_started && past.ended_s <= time_s) {
      uses.push_back({past.job.user, past.job.limit_s, past.ended_s - past.started_s,
                      past.job.request, past.job.kind});
    }
  }
  return uses;
}

}  // namespace epochcast::queue
