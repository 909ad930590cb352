// An allocation: the resources that a job requests from the scheduler. One table reads it from a
// cluster profile, writes it into the script, and stores requested and granted values in the
// record.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/core/fields.hpp"
#include "src/base/core/quantity.hpp"

namespace epochcast::run {

struct Allocation {
  std::string partition;
  std::int64_t nodes = 1;
  std::int64_t tasks_per_node = 1;
  std::int64_t cpus = 1;
  std::int64_t gpus = 0;
  std::int64_t gpus_per_node = 0;
  std::string gpu;
  std::string gres = {};
  std::string smt;
  Bytes memory = {};
  Seconds time = {};
  std::string account;
  std::string qos;
  std::string constraint;
  bool exclusive = false;
  bool operator==(const Allocation&) const = default;
};

constexpr auto fields_of(Tag<Allocation>) {
  return FieldTable{
      Field{"partition", "1",
            "Partition (queue), or several: the job runs in the first that is free",
            &Allocation::partition},
      Field{"nodes", "1", "Number of nodes", &Allocation::nodes, "1..1000000"},
      Field{"tasks_per_node", "1", "Tasks (processes) per node", &Allocation::tasks_per_node,
            "1..1000000"},
      Field{"cpus", "1", "CPUs per task: hardware threads if smt is on, cores if it is off",
            &Allocation::cpus, "1..1000000"},
      Field{"gpus", "1", "GPUs per task", &Allocation::gpus, "0..1000000"},
      Field{"gpus_per_node", "1",
            "GPUs of each node that its tasks share, in place of gpus (0: each task has its own)",
            &Allocation::gpus_per_node, "0..1000000"},
      Field{"gpu", "1", "GPU type in the spelling of the site (Slurm's types are case-sensitive)",
            &Allocation::gpu},
      Field{"gres", "1", "Further generic resources of each node, besides GPUs: nvme:200",
            &Allocation::gres},
      Field{"smt", "1",
            "Whether the two hardware threads of a core count as two CPUs; empty: default of the "
            "site",
            &Allocation::smt, "|on|off"},
      Field{"memory", "B", "Memory per node; all: all that the node has", &Allocation::memory,
            ">=0"},
      Field{"time", "s", "Time limit", &Allocation::time, ">=0"},
      Field{"account", "1", "Account to charge", &Allocation::account},
      Field{"qos", "1", "Quality of service", &Allocation::qos},
      Field{"constraint", "1", "Required node features", &Allocation::constraint},
      Field{"exclusive", "1", "No other jobs on the nodes", &Allocation::exclusive},
  };
}

/// Tasks of the whole job. The ranges of the fields exclude an overflow.
inline std::int64_t tasks_of(const Allocation& allocation) {
  return allocation.nodes * allocation.tasks_per_node;
}

/// GPUs of a node, whether each task has its own or all tasks share them.
inline std::int64_t gpus_on_node(const Allocation& allocation) {
  return allocation.gpus_per_node > 0 ? allocation.gpus_per_node
                                      : allocation.gpus * allocation.tasks_per_node;
}
/// GPUs that a task can use.
inline std::int64_t gpus_of_task(const Allocation& allocation) {
  return allocation.gpus_per_node > 0 ? allocation.gpus_per_node : allocation.gpus;
}
/// GPUs of the whole job.
inline std::int64_t gpus_of(const Allocation& allocation) {
  return allocation.nodes * gpus_on_node(allocation);
}

/// The partitions that the job may run in; empty: the default one of the site.
std::vector<std::string> partitions_of(const Allocation& allocation);

/// Throws Error unless `name` can be the name of an allocation: one line of at most 63 bytes, which
/// is what a record stores; longer names would be cut and then equal each other.
void check_allocation_name(std::string_view name);

/// "partition=gpu;cpus=8;...": every field that differs from its default; the format of
/// EPOCHCAST_ASKED.
std::string pack(const Allocation& allocation);
/// The inverse of pack. Throws Error for an unknown key or a wrong value.
Allocation unpack_allocation(std::string_view text);

}  // namespace epochcast::run
