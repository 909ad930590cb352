// What is free on every node at every later time, as far as it is planned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace epochcast::queue {

/// What a node has, or what a job takes of each of its nodes.
struct Resources {
  std::int64_t cpus = 0;
  std::int64_t memory_mib = 0;
  std::int64_t gpus = 0;

  bool fits_in(const Resources& free) const {
    return cpus <= free.cpus && memory_mib <= free.memory_mib && gpus <= free.gpus;
  }
  void add(const Resources& more, std::int64_t times) {
    cpus += times * more.cpus;
    memory_mib += times * more.memory_mib;
    gpus += times * more.gpus;
  }
};

inline constexpr double never_s = std::numeric_limits<double>::infinity();

/// The plan of all nodes from `now_s` on.
class NodePlan {
 public:
  NodePlan(const std::vector<Resources>& free, double now_s);

  /// Takes `each` from every node of `nodes` from `from_s` until `until_s` (may be never_s).
  void take(const std::vector<std::size_t>& nodes, const Resources& each, double from_s,
            double until_s);

  /// The first `count` of `nodes` that have `each` free for the whole time; empty: there are not so
  /// many.
  std::vector<std::size_t> free_nodes(const std::vector<std::size_t>& nodes, std::size_t count,
                                      const Resources& each, double from_s, double until_s) const;

  struct Place {
    double start_s = 0;
    std::vector<std::size_t> nodes;
  };
  /// The earliest place for `duration_s`; std::nullopt: there is none at any time.
  std::optional<Place> earliest(const std::vector<std::size_t>& nodes, std::size_t count,
                                const Resources& each, double duration_s) const;

 private:
  /// What is free from a time until the next one; sorted.
  using Steps = std::vector<std::pair<double, Resources>>;
  double free_until_s(std::size_t node, const Resources& each, double from_s) const;

  double now_s_;
  std::vector<Steps> nodes_;
};

}  // namespace epochcast::queue
