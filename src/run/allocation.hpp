// An allocation: what a job asks the scheduler for. The same table reads it from a cluster's YAML,
// writes it into the script, and stores what was asked and what was got in the record.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "src/core/fields.hpp"
#include "src/core/quantity.hpp"

namespace epochcast::run {

struct Allocation {
  std::string partition;
  std::int64_t nodes = 1;
  std::int64_t tasks_per_node = 1;
  std::int64_t cpus = 1;
  std::int64_t gpus = 0;
  std::string gpu;
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
  return std::tuple{
      Field{"partition", "1", "Partition (queue) of the cluster", &Allocation::partition},
      Field{"nodes", "1", "Nodes", &Allocation::nodes, "1..1000000"},
      Field{"tasks_per_node", "1", "Tasks (processes) on each node", &Allocation::tasks_per_node,
            "1..1000000"},
      Field{"cpus", "1", "CPUs a task: hardware threads where smt is on, cores where it is off",
            &Allocation::cpus, "1..1000000"},
      Field{"gpus", "1", "GPUs a task", &Allocation::gpus, "0..1000000"},
      Field{"gpu", "1", "GPU model, in the site's spelling (Slurm's types are case-sensitive)",
            &Allocation::gpu},
      Field{"smt", "1",
            "Whether two hardware threads of a core count as two CPUs; empty: the site's default",
            &Allocation::smt, "|on|off"},
      Field{"memory", "B", "Memory a node", &Allocation::memory, ">=0"},
      Field{"time", "s", "Time limit", &Allocation::time, ">=0"},
      Field{"account", "1", "Account to charge", &Allocation::account},
      Field{"qos", "1", "Quality of service", &Allocation::qos},
      Field{"constraint", "1", "Features the nodes must have", &Allocation::constraint},
      Field{"exclusive", "1", "No other job on the nodes", &Allocation::exclusive},
  };
}

/// Tasks of the whole job. The ranges of the fields exclude an overflow.
inline std::int64_t tasks_of(const Allocation& allocation) {
  return allocation.nodes * allocation.tasks_per_node;
}

/// "partition=gpu;cpus=8;...": every field that is not at its default; the form in EPOCHCAST_ASKED.
std::string pack(const Allocation& allocation);
/// The inverse of pack. Throws Error on a key or value that no Allocation has.
Allocation unpack_allocation(std::string_view text);

}  // namespace epochcast::run
