// The plan of a backfill: what runs, by its limits, and the planned starts of waiting jobs.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "jobs/advise/node_plan.hpp"
#include "jobs/advise/queue_model.hpp"

namespace epochcast::jobs {

/// The plan at one moment, as Slurm's backfill makes it. A planned start keeps its nodes whole: no
/// later job may use them in that time, even if both would fit. And planned starts are late: the
/// ends of running jobs are looked at in groups, and a job is planned at the last end of its group.
/// The first group reaches from the first end to 30 to 60 s later, and each further one twice as
/// far (bf_window_scale of slurm.conf(5)). Jobs that end before that may go first.
class BackfillPlan {
 public:
  /// `free`: what the nodes have when no job runs. `elsewhere_s`: the limits that are left to jobs
  /// on other nodes, sorted. Slurm tells the end of a group by the next job on any node.
  BackfillPlan(const std::vector<Resources>& free, double now_s,
               const std::vector<double>& elsewhere_s);

  /// A job that runs, and by its limit ends at `until_s` (may be never_s) at the latest.
  void run(const std::vector<std::size_t>& nodes, const Resources& each, double until_s);

  /// Where the job can start now without delaying a planned start; empty: nowhere.
  std::vector<std::size_t> nodes_now(const ModelJob& job) const;

  /// The start that is planned for it; std::nullopt: there is none at any time.
  std::optional<NodePlan::Place> start_of(const ModelJob& job) const;

  /// Keeps the nodes of a planned start for `limit_s`.
  void reserve(const NodePlan::Place& place, double limit_s);

  /// How long a job could run at most if it started now.
  double gap_s(const ModelJob& job) const;

 private:
  double last_end_of_group_s(const std::vector<std::size_t>& nodes, double end_s) const;

  double next_elsewhere_s(double end_s) const;

  double now_s_;
  const std::vector<double>& elsewhere_s_;
  NodePlan running_;  ///< Without planned starts.
  NodePlan plan_;
  std::vector<std::vector<double>> ends_s_;  ///< Of running jobs, for each node.
};

}  // namespace epochcast::jobs
