#include "src/forecast/queue/queue_now.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "src/base/core/text.hpp"

namespace epochcast::queue {
namespace {

/// Of a node at a site that does not share nodes by memory.
constexpr auto unlimited_memory = std::numeric_limits<std::int64_t>::max() / 4;

std::int64_t divided(std::int64_t total, std::int64_t parts) {
  return (total + parts - 1) / parts;
}

Resources divided(const Resources& total, std::int64_t parts) {
  return {divided(total.cpus, parts), divided(total.memory_mib, parts), divided(total.gpus, parts)};
}

/// Whether the node has all features of a constraint. One with alternatives or counts is not
/// looked at.
bool has_features(const slurm::NodeState& node, const std::string& constraint) {
  if (constraint.find_first_of("|[]()*!") != std::string::npos) {
    return true;
  }
  auto text = constraint;
  std::ranges::replace(text, ',', '&');
  return std::ranges::all_of(split(text, '&'), [&](const std::string& feature) {
    return std::ranges::find(node.features, feature) != node.features.end();
  });
}

/// What jobs of one kind have in common. Memory is left out: it is often not known.
std::string request_text(const ModelRequest& request) {
  return fmt::format("{} {} {} {}", fmt::join(request.partitions, ","), request.nodes,
                     request.total.cpus, request.total.gpus);
}

/// The runs of a campaign are often numbered, or named by a value.
std::string job_kind(std::string name) {
  std::erase_if(name, is_digit);
  return name;
}

bool is_in_any(const slurm::NodeState& node, const std::vector<std::string>& partitions) {
  return std::ranges::any_of(partitions, [&](const auto& name) { return node.is_in(name); });
}

/// An exclusive job takes whole nodes. If they differ, it gets those of the most frequent size.
void take_whole_nodes(const QueueNow& queue, ModelJob& job) {
  std::map<std::int64_t, std::size_t> sizes;
  for (const auto node : job.nodes) {
    ++sizes[queue.model.nodes[node].cpus];
  }
  const auto most =
      std::ranges::max_element(sizes, {}, [](const auto& size) { return size.second; });
  if (most == sizes.end()) {
    return;
  }
  job.each.cpus = most->first;
  std::erase_if(job.nodes,
                [&](std::size_t node) { return queue.model.nodes[node].cpus != most->first; });
}

class Builder {
 public:
  Builder(const slurm::ClusterState& state, const std::vector<slurm::Partition>& partitions)
      : state_(state) {
    queue_.model.backfill_interval_s = state.backfill_interval_s;
    for (const auto& partition : partitions) {
      queue_.partitions.push_back(partition.name);
      queue_.tiers.push_back(partition.priority_tier);
    }
  }

  QueueNow build() {
    for (const auto& node : state_.nodes) {
      if (node.runs_jobs || node.cpus_held > 0) {
        places_[node.name] = queue_.nodes.size();
        queue_.nodes.push_back(node);
        queue_.model.nodes.push_back(
            {node.cpus, state_.counts_memory ? node.memory_mib : unlimited_memory, node.gpus});
      }
    }
    held_.resize(queue_.nodes.size());
    for (const auto& job : state_.jobs) {
      if (slurm::holds_cpus(job.state)) {
        add_running(job);
      }
    }
    take_unseen();
    add_waiting();
    if (state_.reservations > 0) {
      queue_.notes.push_back(
          fmt::format("{} not modelled", counted(state_.reservations, "reservation")));
    }
    return std::move(queue_);
  }

 private:
  void add_running(const slurm::QueuedJob& job) {
    ModelJob running{.user = job.user,
                     .nodes = {},
                     .partition = {},
                     .each = divided({job.cpus, job.memory_mib, job.gpus}, job.nodes),
                     .limit_s = job.limit_s,
                     .elapsed_s = job.elapsed_s,
                     .request = request_text(request_of(job)),
                     .kind = job_kind(job.name)};
    for (const auto& name : job.node_names) {
      if (const auto place = places_.find(name); place != places_.end()) {
        running.nodes.push_back(place->second);
        held_[place->second].add(running.each, 1);
      }
    }
    running.count = running.nodes.size();
    unlimited_ += std::isinf(job.limit_s) ? 1 : 0;
    if (!running.nodes.empty()) {
      queue_.model.running.push_back(std::move(running));
    }
  }

  /// Nodes hold more than the jobs seen: those of others at sites with PrivateData=jobs.
  void take_unseen() {
    std::int64_t unseen = 0;
    for (std::size_t i = 0; i < held_.size(); ++i) {
      const auto more = std::max<std::int64_t>(0, queue_.nodes[i].cpus_held - held_[i].cpus);
      const auto gpus = std::max<std::int64_t>(0, queue_.nodes[i].gpus_held - held_[i].gpus);
      queue_.model.nodes[i].add({more, 0, gpus}, -1);
      unseen += more;
    }
    if (unseen > 0) {
      queue_.notes.push_back(fmt::format(
          "{} CPUs are held by jobs that you may not see; the model never frees them", unseen));
    }
    if (unlimited_ > 0) {
      queue_.notes.push_back(
          fmt::format("{} without a time limit: the scheduler plans as if they never ended",
                      counted(unlimited_, "running job")));
    }
  }

  void add_waiting() {
    auto jobs = state_.jobs;
    std::erase_if(jobs, [](const auto& job) { return !slurm::waits(job.state); });
    std::map<std::string, std::size_t> left_out;
    std::erase_if(jobs, [&](const slurm::QueuedJob& job) {
      const bool waits = slurm::waits_for_room(job);
      const bool is_held = job.state != slurm::JobState::pending;
      left_out[is_held ? std::string(to_text(job.state)) : job.reason] += waits ? 0 : 1;
      return !waits;
    });
    for (const auto& [reason, count] : left_out) {
      if (count > 0) {
        queue_.notes.push_back(
            fmt::format("{} with the reason {} not modelled: it does not wait "
                        "for room",
                        counted(count, "waiting job"), printable(reason)));
      }
    }
    std::ranges::stable_sort(jobs, {}, [](const auto& job) { return natural_key(job.id); });
    std::ranges::stable_sort(jobs, std::greater<>(), &slurm::QueuedJob::priority);
    std::size_t nowhere = 0;
    for (const auto& job : jobs) {
      auto waiting = model_job(queue_, request_of(job));
      if (waiting) {
        queue_.model.waiting.push_back(std::move(*waiting));
      } else {
        ++nowhere;
      }
    }
    std::ranges::stable_sort(queue_.model.waiting, std::greater<>(), &ModelJob::tier);
    if (nowhere > 0) {
      queue_.notes.push_back(fmt::format("{} not modelled: no known node can hold them",
                                         counted(nowhere, "waiting job")));
    }
  }

  const slurm::ClusterState& state_;
  QueueNow queue_;
  std::map<std::string, std::size_t> places_;
  std::vector<Resources> held_;
  std::size_t unlimited_ = 0;
};

}  // namespace

QueueNow queue_now(const slurm::ClusterState& state,
                   const std::vector<slurm::Partition>& partitions) {
  return Builder(state, partitions).build();
}

ModelRequest request_of(const slurm::QueuedJob& job) {
  return {.user = job.user,
          .partitions = job.partitions,
          .nodes = job.nodes,
          .total = {job.cpus, job.memory_mib, job.gpus},
          .gpu = job.gpu,
          .features = job.features,
          .exclusive = job.exclusive,
          .limit_s = job.limit_s,
          .name = job.name};
}

std::optional<ModelJob> model_job(const QueueNow& queue, const ModelRequest& request) {
  ModelJob job{.user = request.user,
               .nodes = {},
               .partition = {},
               .count = static_cast<std::size_t>(request.nodes),
               .each = divided(request.total, request.nodes),
               .limit_s = request.limit_s,
               .request = request_text(request),
               .kind = job_kind(request.name)};
  for (std::size_t i = 0; i < queue.partitions.size(); ++i) {
    if (std::ranges::find(request.partitions, queue.partitions[i]) != request.partitions.end()) {
      job.tier = std::max(job.tier, queue.tiers[i]);
    }
  }
  for (std::size_t i = 0; i < queue.nodes.size(); ++i) {
    const auto& node = queue.nodes[i];
    if (!is_in_any(node, request.partitions)) {
      continue;
    }
    job.partition.push_back(i);
    const bool other_gpu = !request.gpu.empty() && !node.gpu.empty() && request.gpu != node.gpu;
    if (node.runs_jobs && !other_gpu && has_features(node, request.features) &&
        job.each.fits_in(queue.model.nodes[i])) {
      job.nodes.push_back(i);
    }
  }
  if (request.exclusive) {
    take_whole_nodes(queue, job);
  }
  const bool nowhere = !queue.nodes.empty() && job.nodes.size() < job.count;
  return nowhere ? std::nullopt : std::optional(std::move(job));
}

}  // namespace epochcast::queue
