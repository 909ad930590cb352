// The plan of a backfill: what runs, by its limits, and the planned starts of waiting jobs.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "src/forecast/queue/node_plan.hpp"
#include "src/forecast/queue/queue_model.hpp"

namespace epochcast::queue {

/// The plan at one moment, as Slurm's backfill makes it. A planned start keeps its nodes whole: no
/// later job may use them in that time, even if both would fit. And planned starts are late: the
/// ends of running jobs are looked at in groups, and a job is planned at the last end of its group.
/// The first group reaches from the first end to 30 to 60 s later, and each further one twice as
/// far (bf_window_scale of slurm.conf(5)). Jobs that end before that may go first.
class BackfillPlan {
 public:
  /// The plan of the nodes of `model`, when no job runs, at `now_s`. `elsewhere_s`: the limits that
  /// are left to jobs on other nodes, sorted; Slurm tells the end of a group by the next job on any
  /// node. `model` must live as long.
  BackfillPlan(const QueueModel& model, double now_s, std::vector<double> elsewhere_s);

  /// A job that runs, and by its limit ends at `until_s` (may be never_s) at the latest.
  void run(const std::vector<std::size_t>& nodes, const Resources& each, double until_s);

  /// Where the job can start now without delaying a planned start; empty: nowhere.
  std::vector<std::size_t> nodes_now(const ModelJob& job) const;

  /// The start that is planned for a job that cannot start now. std::nullopt: Slurm plans none,
  /// since there is no room at any time, or since it looks no further than the planned starts that
  /// follow each other without a gap.
  std::optional<NodePlan::Place> start_of(const ModelJob& job) const;

  /// Keeps the nodes of a planned start for `limit_s`.
  void reserve(const NodePlan::Place& place, double limit_s);

  /// How long a job could run at most if it started now; 0: there is no room now.
  double gap_s(const ModelJob& job) const;

 private:
  /// A time in which the same nodes are kept for planned starts.
  struct Span {
    double begin_s = 0;
    double end_s = never_s;
    std::vector<char> kept;  ///< For each node.
  };
  /// What a job could use that starts at a time.
  struct Choice {
    std::vector<std::size_t> nodes;  ///< Not kept while it runs.
    double later_s = never_s;        ///< When there are other nodes; never_s: not looked at.
  };
  Choice choice_at(const ModelJob& job, double start_s) const;
  std::optional<double> group_end_s(const ModelJob& job,
                                    const std::vector<std::size_t>& nodes) const;
  bool is_kept(const std::vector<std::size_t>& nodes, double from_s, double until_s) const;
  std::size_t split_at(double time_s);
  double next_elsewhere_s(double end_s) const;

  const QueueModel& model_;
  double now_s_;
  std::vector<double> elsewhere_s_;
  NodePlan running_;
  std::vector<Resources> free_now_;
  std::vector<std::vector<double>> ends_s_;  ///< Of running jobs, for each node.
  std::vector<Span> spans_;                  ///< From now on, one after the other.
};

}  // namespace epochcast::queue
