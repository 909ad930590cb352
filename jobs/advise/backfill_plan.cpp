#include "jobs/advise/backfill_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace epochcast::jobs {
namespace {

constexpr auto whole = std::numeric_limits<std::int64_t>::max() / 4096;
constexpr double first_window_s = 30;

}  // namespace

BackfillPlan::BackfillPlan(const std::vector<Resources>& free, double now_s,
                           const std::vector<double>& elsewhere_s)
    : now_s_(now_s),
      elsewhere_s_(elsewhere_s),
      running_(free, now_s),
      plan_(free, now_s),
      ends_s_(free.size()) {}

void BackfillPlan::run(const std::vector<std::size_t>& nodes, const Resources& each,
                       double until_s) {
  running_.take(nodes, each, now_s_, until_s);
  plan_.take(nodes, each, now_s_, until_s);
  for (const auto node : nodes) {
    ends_s_[node].push_back(until_s);
  }
}

std::vector<std::size_t> BackfillPlan::nodes_now(const ModelJob& job) const {
  return plan_.free_nodes(job.nodes, job.count, job.each, now_s_, now_s_ + job.limit_s);
}

std::optional<NodePlan::Place> BackfillPlan::start_of(const ModelJob& job) const {
  const auto room = running_.earliest(job.nodes, job.count, job.each, job.limit_s, now_s_);
  if (!room) {
    return std::nullopt;
  }
  const double from_s =
      room->start_s > now_s_ ? last_end_of_group_s(job.nodes, room->start_s) : now_s_;
  return plan_.earliest(job.nodes, job.count, job.each, job.limit_s, from_s);
}

void BackfillPlan::reserve(const NodePlan::Place& place, double limit_s) {
  plan_.take(place.nodes, {.cpus = whole, .memory_mib = whole, .gpus = whole}, place.start_s,
             place.start_s + limit_s);
}

double BackfillPlan::gap_s(const ModelJob& job) const {
  return plan_.gap_s(job.nodes, job.count, job.each);
}

double BackfillPlan::next_elsewhere_s(double end_s) const {
  const auto next = std::ranges::upper_bound(elsewhere_s_, end_s - now_s_);
  return next == elsewhere_s_.end() ? never_s : now_s_ + *next;
}

double BackfillPlan::last_end_of_group_s(const std::vector<std::size_t>& nodes,
                                         double end_s) const {
  std::vector<double> ends_s;
  for (const auto node : nodes) {
    ends_s.insert(ends_s.end(), ends_s_[node].begin(), ends_s_[node].end());
  }
  std::ranges::sort(ends_s);
  double window_s = first_window_s;
  // Groups begin at whole windows of the clock.
  const double base_s = window_s * (std::floor(ends_s.front() / window_s) + 1);
  for (std::size_t i = 0; i + 1 < ends_s.size(); ++i) {
    const double next_s = std::min(ends_s[i + 1], next_elsewhere_s(ends_s[i]));
    if (next_s <= base_s + window_s) {
      continue;  // the next one on these nodes is in the group, however late it is
    }
    if (ends_s[i] >= end_s) {
      return ends_s[i];
    }
    while (next_s > base_s + window_s && std::isfinite(next_s)) {
      window_s *= 2;
    }
  }
  return std::max(end_s, ends_s.back());
}

}  // namespace epochcast::jobs
