#include "src/forecast/queue/node_plan.hpp"

#include <algorithm>

namespace epochcast::queue {

namespace {

/// The place of the step that holds at `time_s`, which is not before the first.
std::size_t step_at(const std::vector<std::pair<double, Resources>>& steps, double time_s) {
  const auto after =
      std::ranges::upper_bound(steps, time_s, {}, [](const auto& step) { return step.first; });
  return static_cast<std::size_t>(after - steps.begin()) - 1;
}

}  // namespace

NodePlan::NodePlan(const std::vector<Resources>& free, double now_s) : now_s_(now_s) {
  nodes_.reserve(free.size());
  for (const auto& node : free) {
    nodes_.push_back({{now_s, node}});
  }
}

void NodePlan::take(const std::vector<std::size_t>& nodes, const Resources& each, double from_s,
                    double until_s) {
  for (const auto node : nodes) {
    auto& steps = nodes_[node];
    const auto split_at = [&](double time_s) {
      const auto place = step_at(steps, time_s);
      if (steps[place].first == time_s) {
        return place;
      }
      steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(place) + 1,
                   {time_s, steps[place].second});
      return place + 1;
    };
    const auto first = split_at(std::max(from_s, now_s_));
    const auto end = until_s == never_s ? steps.size() : split_at(until_s);
    for (auto step = first; step < end; ++step) {
      steps[step].second.add(each, -1);
    }
  }
}

double NodePlan::free_until_s(std::size_t node, const Resources& each, double from_s) const {
  const auto& steps = nodes_[node];
  for (auto step = step_at(steps, from_s); step < steps.size(); ++step) {
    if (!each.fits_in(steps[step].second)) {
      return std::max(from_s, steps[step].first);
    }
  }
  return never_s;
}

std::vector<std::size_t> NodePlan::free_nodes(const std::vector<std::size_t>& nodes,
                                              std::size_t count, const Resources& each,
                                              double from_s, double until_s) const {
  std::vector<std::size_t> found;
  for (const auto node : nodes) {
    if (found.size() == count) {
      break;
    }
    const double end_s = free_until_s(node, each, from_s);
    if (end_s > from_s && end_s >= until_s) {
      found.push_back(node);
    }
  }
  return found.size() == count ? found : std::vector<std::size_t>{};
}

std::optional<NodePlan::Place> NodePlan::earliest(const std::vector<std::size_t>& nodes,
                                                  std::size_t count, const Resources& each,
                                                  double duration_s) const {
  std::vector<double> times{now_s_};
  for (const auto node : nodes) {
    for (const auto& [time_s, free] : nodes_[node]) {
      if (each.fits_in(free)) {
        times.push_back(time_s);
      }
    }
  }
  std::ranges::sort(times);
  times.erase(std::ranges::unique(times).begin(), times.end());
  for (const double start_s : times) {
    auto found = free_nodes(nodes, count, each, start_s, start_s + duration_s);
    if (!found.empty()) {
      return Place{start_s, std::move(found)};
    }
  }
  return std::nullopt;
}

}  // namespace epochcast::queue
