#include "src/forecast/queue/backfill_plan.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace epochcast::queue {

BackfillPlan::BackfillPlan(const QueueModel& model, double now_s, std::vector<double> elsewhere_s)
    : model_(model),
      now_s_(now_s),
      elsewhere_s_(std::move(elsewhere_s)),
      running_(model.nodes, now_s),
      free_now_(model.nodes),
      ends_s_(model.nodes.size()),
      spans_{{.begin_s = now_s, .kept = std::vector<char>(model.nodes.size(), 0)}} {}

void BackfillPlan::run(const std::vector<std::size_t>& nodes, const Resources& each,
                       double until_s) {
  running_.take(nodes, each, now_s_, until_s);
  for (const auto node : nodes) {
    free_now_[node].add(each, -1);
    ends_s_[node].push_back(until_s);
  }
}

std::vector<std::size_t> BackfillPlan::nodes_now(const ModelJob& job) const {
  std::vector<std::size_t> found;
  for (const auto node : job.nodes) {
    if (found.size() < job.count && job.each.fits_in(free_now_[node]) &&
        !is_kept({node}, now_s_, now_s_ + job.limit_s)) {
      found.push_back(node);
    }
  }
  return found.size() == job.count ? found : std::vector<std::size_t>{};
}

std::optional<NodePlan::Place> BackfillPlan::start_of(const ModelJob& job) const {
  const auto most_tries = 2 * spans_.size() + 2;
  double start_s = now_s_;
  for (std::size_t i = 0; i < most_tries && std::isfinite(start_s); ++i) {
    const auto [nodes, later_s] = choice_at(job, start_s);
    const auto end_s = nodes.size() < job.count ? std::nullopt : group_end_s(job, nodes);
    if (!end_s || std::max(*end_s, start_s) > later_s) {
      start_s = later_s;
      continue;
    }
    const double planned_s = std::max(*end_s, start_s);
    auto found = running_.free_nodes(nodes, job.count, job.each, planned_s, never_s);
    if (is_kept(found, planned_s, planned_s + job.limit_s)) {
      start_s = planned_s > start_s ? planned_s : later_s;
      continue;
    }
    return NodePlan::Place{planned_s, std::move(found)};
  }
  return std::nullopt;
}

void BackfillPlan::reserve(const NodePlan::Place& place, double limit_s) {
  const auto first = split_at(place.start_s);
  const auto end = std::isinf(limit_s) ? spans_.size() : split_at(place.start_s + limit_s);
  for (auto span = first; span < end; ++span) {
    for (const auto node : place.nodes) {
      spans_[span].kept[node] = 1;
    }
  }
}

double BackfillPlan::gap_s(const ModelJob& job) const {
  std::vector<double> gaps;
  for (const auto node : job.nodes) {
    const auto kept =
        std::ranges::find_if(spans_, [&](const Span& span) { return span.kept[node] != 0; });
    const double until_s = kept == spans_.end() ? never_s : kept->begin_s - now_s_;
    gaps.push_back(job.each.fits_in(free_now_[node]) ? until_s : 0);
  }
  if (job.count == 0 || gaps.size() < job.count) {
    return 0;
  }
  std::ranges::sort(gaps, std::greater<>());
  return gaps[job.count - 1];
}

/// As Slurm looks for nodes: a later time is worth a try if the next span has other nodes.
BackfillPlan::Choice BackfillPlan::choice_at(const ModelJob& job, double start_s) const {
  Choice choice{.nodes = job.nodes};
  const auto keep_free = [](std::vector<std::size_t> nodes, const Span& span) {
    std::erase_if(nodes, [&](std::size_t node) { return span.kept[node] != 0; });
    return nodes;
  };
  for (std::size_t i = 0; i < spans_.size() && spans_[i].begin_s <= start_s + job.limit_s; ++i) {
    if (spans_[i].end_s <= start_s) {
      continue;
    }
    auto left = keep_free(choice.nodes, spans_[i]);
    if (std::isinf(choice.later_s) && i + 1 < spans_.size() &&
        !std::ranges::includes(left, keep_free(job.nodes, spans_[i + 1]))) {
      choice.later_s = spans_[i].end_s;
    }
    choice.nodes = std::move(left);
  }
  return choice;
}

/// The end of the group of job ends after which the nodes have room; std::nullopt: they never have.
std::optional<double> BackfillPlan::group_end_s(const ModelJob& job,
                                                const std::vector<std::size_t>& nodes) const {
  const auto room = running_.earliest(nodes, job.count, job.each, never_s);
  if (!room || room->start_s <= now_s_) {
    return room ? std::optional(now_s_) : std::nullopt;
  }
  std::vector<double> ends_s;
  for (const auto node : nodes) {
    ends_s.insert(ends_s.end(), ends_s_[node].begin(), ends_s_[node].end());
  }
  std::ranges::sort(ends_s);
  double window_s = 30;
  // Groups begin at whole windows of the clock.
  const double clock_s = model_.clock_s + ends_s.front();
  const double base_s =
      ends_s.front() + window_s - (clock_s - window_s * std::floor(clock_s / window_s));
  for (std::size_t i = 0; i + 1 < ends_s.size(); ++i) {
    const double next_s = std::min(ends_s[i + 1], next_elsewhere_s(ends_s[i]));
    if (next_s <= base_s + window_s) {
      continue;  // the next one on these nodes is in the group, however late it is
    }
    if (ends_s[i] >= room->start_s) {
      return ends_s[i];
    }
    while (next_s > base_s + window_s && std::isfinite(next_s)) {
      window_s *= 2;
    }
  }
  return ends_s.back();
}

bool BackfillPlan::is_kept(const std::vector<std::size_t>& nodes, double from_s,
                           double until_s) const {
  for (const auto& span : spans_) {
    if (span.end_s > from_s && span.begin_s < until_s &&
        std::ranges::any_of(nodes, [&](std::size_t node) { return span.kept[node] != 0; })) {
      return true;
    }
  }
  return false;
}

/// The place of the span that begins at a time from now on.
std::size_t BackfillPlan::split_at(double time_s) {
  const auto after = std::ranges::upper_bound(spans_, time_s, {}, &Span::begin_s);
  const auto place = static_cast<std::size_t>(after - spans_.begin()) - 1;
  if (spans_[place].begin_s == time_s) {
    return place;
  }
  auto rest = spans_[place];
  rest.begin_s = time_s;
  spans_[place].end_s = time_s;
  spans_.insert(after, std::move(rest));
  return place + 1;
}

double BackfillPlan::next_elsewhere_s(double end_s) const {
  const auto next = std::ranges::upper_bound(elsewhere_s_, end_s - now_s_);
  return next == elsewhere_s_.end() ? never_s : now_s_ + *next;
}

}  // namespace epochcast::queue
