// The partitions of a cluster, from sinfo and scontrol: their limits and their kinds of nodes.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace epochcast::slurm {

struct GpuKind {
  std::string type;  ///< In the site's spelling; empty: the site does not name types.
  std::int64_t count = 0;
  bool operator==(const GpuKind&) const = default;
};

/// Nodes of a partition with the same configuration.
struct NodeKind {
  std::int64_t nodes = 0;
  std::int64_t cpus = 0;
  std::int64_t memory_mib = 0;
  std::int64_t threads_per_core = 1;
  std::vector<GpuKind> gpus;
  std::vector<std::string> features;
};

struct Partition {
  std::string name;
  bool is_default = false;
  double max_time_s = std::numeric_limits<double>::infinity();  ///< Infinite: no limit.
  std::vector<NodeKind> kinds;
  std::optional<std::int64_t> max_cpus_per_node = {};
  std::optional<std::int64_t> max_memory_per_cpu_mib = {};
  std::optional<std::int64_t> max_memory_per_node_mib = {};
  std::int64_t min_nodes = 0;                    ///< Of a job.
  std::optional<std::int64_t> max_nodes = {};    ///< Of a job.
  std::int64_t priority_tier = 1;                ///< Jobs of a higher tier go first.
  bool is_hidden = false;                        ///< Users see it only with `sinfo -a`.
  std::string preempt_mode = {};                 ///< Of its jobs: REQUEUE, CANCEL; OFF: never.
  std::string state = "UP";                      ///< Only UP runs jobs: DOWN, DRAIN, INACTIVE.
  std::vector<std::string> allow_accounts = {};  ///< Empty: all accounts.
  std::vector<std::string> deny_accounts = {};
  std::vector<std::string> allow_qos = {};     ///< Empty: all QOS.
  std::vector<std::string> allow_groups = {};  ///< Empty: all groups.
  bool root_only = false;                      ///< Only root may submit.
  bool needs_reservation = false;              ///< ReqResv: only jobs with --reservation.
};

/// The answer of sinfo, or why there is none.
struct Site {
  bool answered = false;
  std::string error;  ///< Why there is no answer, in one line.
  std::vector<Partition> partitions;
  bool all_must_fit = false;  ///< EnforcePartLimits=ALL: each of several partitions, not one.
  bool by_partition = false;  ///< PreemptType=preempt/partition_prio: higher tiers preempt.
};

/// Parses the lines of `sinfo -h -o '%P|%l|%c|%m|%G|%D|%Z|%f'`, in which "*" follows the default
/// partition.
std::vector<Partition> parse_site(std::string_view text);

/// Adds the limits and the access lists of `scontrol show partition` to `partitions`.
void add_partition_limits(std::string_view text, std::vector<Partition>& partitions);

/// Adds what `scontrol show config` says.
void add_config(std::string_view text, Site& site);

/// Whether the partition is among those called `names`; without names, whether it is the default.
bool is_among(const Partition& partition, const std::vector<std::string>& names);

/// The partitions called `names`, or the default one.
std::vector<const Partition*> among(const std::vector<Partition>& partitions,
                                    const std::vector<std::string>& names);

/// Of these the one whose limit bounds a job: of several the longest, or the shortest if all must
/// fit. nullptr: there is none.
const Partition* bounding(const Site& site, const std::vector<std::string>& names);

/// Number of nodes.
std::int64_t nodes_of(const Partition& partition);

/// Who submits.
struct User {
  std::vector<std::string> groups = {};  ///< Empty: not known.
  bool is_root = false;
};
/// The user of this process.
User this_user();

/// Why no job of the user can start in the partition: "is for root only (RootOnly=YES)"; "" if one
/// may.
std::string why_closed(const Partition& partition, const User& user);

/// Whether one of `accounts` may submit to the partition; true if `accounts` is empty (not known).
bool is_open_to(const Partition& partition, const std::vector<std::string>& accounts);

/// The GPUs of a node from the %G field of sinfo: "gpu:t4:4(S:0),shard:t4:8" has four GPUs of type
/// t4.
std::vector<GpuKind> parse_gres(std::string_view text);

}  // namespace epochcast::slurm
