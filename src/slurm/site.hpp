// What a cluster has, as sinfo tells: partitions, their limits and kinds of node.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace epochcast::slurm {

struct GpuKind {
  std::string type;  ///< In the site's spelling; empty: the site does not name types.
  std::int64_t count = 0;
  bool operator==(const GpuKind&) const = default;
};

/// Nodes of a partition that are alike.
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
  double max_time_s = -1;  ///< Negative: no limit.
  std::vector<NodeKind> kinds;
};

/// An answer, or that there was none.
struct Site {
  bool answered = false;
  std::string error;  ///< Why not, in one line.
  std::vector<Partition> partitions;
};

/// Asks sinfo.
Site ask_site(double timeout_s = 60);

/// The lines of `sinfo -h -o '%P|%l|%c|%m|%G|%D|%Z|%f'`, with "*" behind the default partition.
std::vector<Partition> parse_site(std::string_view text);

/// GPUs of a node from sinfo's %G: "gpu:t4:4(S:0),shard:t4:8" has four of type t4.
std::vector<GpuKind> parse_gres(std::string_view text);

}  // namespace epochcast::slurm
