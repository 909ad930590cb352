#include "jobs/advise/preemption.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/core/lists.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::jobs {
namespace {

bool is_preemptible(const slurm::Partition& partition, const SiteQueue& queue) {
  if (!queue.site.by_partition || partition.preempt_mode.empty() ||
      partition.preempt_mode == "OFF") {
    return false;
  }
  return std::ranges::any_of(queue.site.partitions, [&](const slurm::Partition& other) {
    return other.priority_tier > partition.priority_tier &&
           std::ranges::any_of(queue.state.nodes, [&](const slurm::NodeState& node) {
             return node.is_in(partition.name) && node.is_in(other.name);
           });
  });
}

}  // namespace

Preemption preemption_of(const AllocationProfile& site, const RunForecast& run,
                         std::int64_t epochs_between, const SiteQueue& queue) {
  Preemption found;
  std::vector<std::string> names;
  std::vector<std::string> texts;
  for (const auto* partition : slurm::among(queue.site.partitions, run::partitions_of(site.asks))) {
    names.push_back(partition->name);
    if (is_preemptible(*partition, queue)) {
      texts.push_back(
          fmt::format("'{}' (PreemptMode={})", partition->name, partition->preempt_mode));
    }
  }
  if (texts.empty()) {
    return found;
  }
  found.partitions = join(texts, ", ");
  const auto past = history::preemptions_in(queue.past, names);
  found.detail = fmt::format("preempted: {} of {} in {}, which ran {:.3g} hours", past.preempted,
                             counted(past.jobs, "past job"), join(names, ", "), past.hours);
  const auto rate = past.per_hour();
  if (!rate) {
    found.detail += ": how often is not known";
    return found;
  }
  found.detail += fmt::format("; {:.3g} an hour ({:.3g} to {:.3g}, 80 %)", rate->value,
                              rate->interval_80.low, rate->interval_80.high);
  if (!run.is_known()) {
    return found;
  }
  const double work_s = run.time_s.value - run.before_s;
  const double parts =
      epochs_between > 0 && run.epochs > 0
          ? std::max(1.0, static_cast<double>(run.epochs) / static_cast<double>(epochs_between))
          : 1;
  found.loss = history::expected_loss(
      {.part_s = work_s / parts, .parts = parts, .again_s = run.before_s}, *rate);
  found.detail += parts > 1
                      ? fmt::format("; lost is the work since a checkpoint, which comes every {}",
                                    format_duration(work_s / parts))
                      : std::string("; lost is the whole run: nothing shows checkpoints of it");
  return found;
}

}  // namespace epochcast::jobs
