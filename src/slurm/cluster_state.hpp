// The nodes of a cluster and the jobs of all users that run or wait there now: what a forecast of
// the queue starts from. From `scontrol show node`, `squeue` and `scontrol show config`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "src/slurm/queue.hpp"

namespace epochcast::slurm {

struct NodeState {
  std::string name;
  std::int64_t cpus = 0;
  std::int64_t memory_mib = 0;
  std::int64_t gpus = 0;
  std::string gpu;  ///< Type; of several types the first. Empty: none, or not named.
  std::vector<std::string> partitions;
  std::vector<std::string> features;
  bool runs_jobs = true;  ///< Not down, drained, in maintenance or permanently powered off.
  /// What running jobs hold, also those that this user may not see.
  std::int64_t cpus_held = 0;
  std::int64_t gpus_held = 0;

  bool is_in(const std::string& partition) const {
    return std::ranges::find(partitions, partition) != partitions.end();
  }
};

/// A job that runs or waits. Resources are those of the whole job.
struct QueuedJob {
  std::string id;
  JobState state = JobState::unknown;
  std::string user;
  std::vector<std::string> partitions;  ///< A job that waits may name several.
  std::int64_t nodes = 1;
  std::int64_t cpus = 1;
  std::int64_t memory_mib = 0;
  std::int64_t gpus = 0;
  std::string gpu;                                           ///< Type; empty: any.
  double limit_s = std::numeric_limits<double>::infinity();  ///< Infinite: no limit.
  double elapsed_s = 0;
  double priority = 0;
  bool exclusive = false;
  std::string features;                 ///< The constraint, as it was asked for.
  std::vector<std::string> node_names;  ///< Of a running job.
  std::string reason;                   ///< Why it waits.
  std::string eligible_at;              ///< Since when it may start, as squeue prints it.
  std::string name = {};                ///< Of the job; cut at a '|'.
};

struct ClusterState {
  bool answered = false;
  std::string error;  ///< Why there is no answer, in one line.
  std::vector<NodeState> nodes;
  std::vector<QueuedJob> jobs;
  double backfill_interval_s = 30;    ///< bf_interval of SchedulerParameters; Slurm's default.
  bool counts_memory = true;          ///< Whether jobs share nodes by memory too.
  std::size_t reservations = 0;       ///< Of nodes, for a time.
  std::vector<std::string> problems;  ///< Lines that could not be read.
};

/// Parses `scontrol -a show node -o`: one line a node.
std::vector<NodeState> parse_nodes(std::string_view text);

/// The fields of `squeue -O` that parse_queued_jobs reads, in its order, with '|' after each.
std::string queued_job_format();

/// Parses the output of squeue in that format. `problems` gets one message for each line that
/// could not be read.
std::vector<QueuedJob> parse_queued_jobs(std::string_view text, std::vector<std::string>& problems);

/// bf_interval of `scontrol show config`; 30 s if it is not set (slurm.conf(5)).
double parse_backfill_interval_s(std::string_view text);

/// Whether SelectTypeParameters of `scontrol show config` has MEMORY: CR_Core_Memory, say.
bool parse_counts_memory(std::string_view text);

/// Whether a waiting job can start as soon as there is room: not one that is held, depends on
/// another, begins later or has met a limit of its user.
bool waits_for_room(const QueuedJob& job);

}  // namespace epochcast::slurm
