#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "jobs/submit/check.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/quantity.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::jobs {
namespace {

using slurm::NodeKind;
using slurm::Partition;

/// The maximum of a quantity over the kinds of node of a partition.
template <class Of>
std::int64_t most(const Partition& partition, Of of) {
  std::int64_t best = 0;
  for (const auto& kind : partition.kinds) {
    best = std::max(best, of(kind));
  }
  return best;
}

std::vector<std::string> gpu_types(const Partition& partition) {
  std::vector<std::string> types;
  for (const auto& kind : partition.kinds) {
    for (const auto& gpu : kind.gpus) {
      if (!gpu.type.empty() && std::find(types.begin(), types.end(), gpu.type) == types.end()) {
        types.push_back(gpu.type);
      }
    }
  }
  return types;
}

std::int64_t gpus_of(const NodeKind& kind, const std::string& type) {
  std::int64_t count = 0;
  for (const auto& gpu : kind.gpus) {
    count += type.empty() || gpu.type == type ? gpu.count : 0;
  }
  return count;
}

class SiteCheck {
 public:
  SiteCheck(const AllocationProfile& site, const Partition& partition, const slurm::User& user)
      : site_(site), asks_(site.asks), partition_(partition), user_(user) {}

  std::vector<Problem> run() {
    check_access();
    if (!problems_.empty()) {
      return std::move(problems_);  // the rest says nothing about a partition without nodes
    }
    check_time();
    check_size();
    check_cpus_per_node();
    check_memory_limits();
    check_qos();
    check_account();
    if (run::gpus_of(asks_) > 0) {
      check_gpus();
    }
    check_features();
    return std::move(problems_);
  }

 private:
  template <class... Args>
  void add(std::string fix, fmt::format_string<Args...> format, Args&&... args) {
    problems_.push_back(
        {site_.name, fmt::format(format, std::forward<Args>(args)...), std::move(fix)});
  }

  std::int64_t cpus_per_node() const { return asks_.cpus * asks_.tasks_per_node; }

  /// Without EnforcePartLimits, sbatch accepts a longer time, and the job stays pending forever.
  void check_time() {
    if (asks_.time.value > partition_.max_time_s) {
      const auto limit = format_duration(partition_.max_time_s);
      add(fmt::format("time: {}, or another partition", limit),
          "time {} exceeds the limit of partition '{}', {}", to_text(asks_.time), partition_.name,
          limit);
    }
  }

  void check_size() {
    const auto nodes = slurm::nodes_of(partition_);
    const auto cpus = most(partition_, [](const NodeKind& kind) { return kind.cpus; });
    const auto memory = most(partition_, [](const NodeKind& kind) { return kind.memory_mib; });
    const auto wanted = cpus_per_node();
    if (asks_.nodes > nodes) {
      add(fmt::format("nodes: {}", nodes), "requests {}, partition '{}' has {}",
          counted(asks_.nodes, "node"), partition_.name, nodes);
    }
    if (wanted > cpus) {
      add(fmt::format("cpus: {}", cpus / asks_.tasks_per_node),
          "requests {} per node, the largest of partition '{}' has {}", counted(wanted, "CPU"),
          partition_.name, cpus);
    }
    if (const auto limit = partition_.max_nodes; limit && asks_.nodes > *limit) {
      add(fmt::format("nodes: {}", *limit), "requests {}, partition '{}' allows {} (MaxNodes)",
          counted(asks_.nodes, "node"), partition_.name, *limit);
    }
    if (asks_.nodes < partition_.min_nodes) {
      add(fmt::format("nodes: {}, or another partition", partition_.min_nodes),
          "requests {}, partition '{}' requires {} (MinNodes)", counted(asks_.nodes, "node"),
          partition_.name, partition_.min_nodes);
    }
    if (asks_.memory.value > memory * mebibyte) {
      add(fmt::format("memory: {}M", memory),
          "requests {} per node, the largest of partition '{}' has {}M", to_text(asks_.memory),
          partition_.name, memory);
    }
  }

  /// The job stays pending forever if it exceeds MaxCPUsPerNode.
  void check_cpus_per_node() {
    const auto limit = partition_.max_cpus_per_node;
    if (const auto wanted = cpus_per_node(); limit && wanted > *limit) {
      add(fmt::format("cpus: {}", std::max<std::int64_t>(1, *limit / asks_.tasks_per_node)),
          "requests {} per node, partition '{}' allows {} (MaxCPUsPerNode)", counted(wanted, "CPU"),
          partition_.name, *limit);
    }
  }

  /// Slurm gives the job more CPUs where it asks for more memory than MaxMemPerCPU allows: it is
  /// then not the allocation of its name.
  void check_memory_limits() {
    if (const auto limit = partition_.max_memory_per_node_mib;
        limit && asks_.memory.value > *limit * mebibyte) {
      add(fmt::format("memory: {}M", *limit),
          "requests {} per node, partition '{}' allows {}M (MaxMemPerNode)", to_text(asks_.memory),
          partition_.name, *limit);
    }
    const auto limit = partition_.max_memory_per_cpu_mib;
    const auto cpus = cpus_per_node();
    if (limit && asks_.memory.value > cpus * *limit * mebibyte) {
      add(fmt::format("memory: {}M", cpus * *limit),
          "requests {} for {} per node, partition '{}' allows {}M per CPU (MaxMemPerCPU) and "
          "would add CPUs",
          to_text(asks_.memory), counted(cpus, "CPU"), partition_.name, *limit);
    }
  }

  /// sbatch accepts jobs for a partition that is DOWN or DRAINs; they stay pending.
  void check_access() {
    if (const auto reason = slurm::why_closed(partition_, user_); !reason.empty()) {
      add(partition_.state == "UP"
              ? "another partition"
              : "another partition, or wait until 'scontrol show partition' says State=UP",
          "partition '{}' {}", partition_.name, reason);
    }
    const bool has_reservation = std::ranges::any_of(site_.sbatch, [](const std::string& option) {
      return option.starts_with("--reservation");
    });
    if (partition_.needs_reservation && !has_reservation) {
      add("sbatch: [\"--reservation=NAME\"]",
          "partition '{}' is for reservations only (ReqResv=YES)", partition_.name);
    }
  }

  void check_qos() {
    const auto& allowed = partition_.allow_qos;
    if (allowed.empty() || asks_.qos.empty() ||
        std::find(allowed.begin(), allowed.end(), asks_.qos) != allowed.end()) {
      return;
    }
    add(fmt::format("qos: {}", allowed.front()), "partition '{}' does not allow the QOS '{}'{}",
        partition_.name, asks_.qos, did_you_mean(asks_.qos, allowed));
  }

  void check_account() {
    const auto& allowed = partition_.allow_accounts;
    if (asks_.account.empty() || slurm::is_open_to(partition_, {to_lower(asks_.account)})) {
      return;
    }
    add(allowed.empty() ? "another account" : fmt::format("account: {}", allowed.front()),
        "partition '{}' does not allow the account '{}' ({}={})", partition_.name, asks_.account,
        allowed.empty() ? "DenyAccounts" : "AllowAccounts",
        join(allowed.empty() ? partition_.deny_accounts : allowed, ","));
  }

  void check_gpus() {
    const auto types = gpu_types(partition_);
    const bool by_type =
        !asks_.gpu.empty() && site_.launch.gpu_flag != "constraint" && site_.launch.gpu_typed;
    if (by_type && std::find(types.begin(), types.end(), asks_.gpu) == types.end()) {
      const auto same = std::find_if(types.begin(), types.end(), [&](const auto& type) {
        return to_lower(type) == to_lower(asks_.gpu);
      });
      const auto hint = same != types.end()
                            ? fmt::format("; did you mean '{}'? (types are case-sensitive)", *same)
                            : did_you_mean(asks_.gpu, types);
      const auto untyped = most(partition_, [](const NodeKind& kind) { return gpus_of(kind, ""); });
      add(types.empty() ? (untyped > 0 ? "gpu_typed: false" : "another partition")
                        : fmt::format("gpu: {}", same != types.end() ? *same : types.front()),
          "partition '{}' has no GPU of type '{}'{}", partition_.name, asks_.gpu, hint);
      return;
    }
    const auto type = by_type ? asks_.gpu : std::string();
    const auto have = most(partition_, [&](const NodeKind& kind) { return gpus_of(kind, type); });
    const auto wanted = run::gpus_on_node(asks_);
    if (wanted > have) {
      add(have == 0                 ? "another partition"
          : asks_.gpus_per_node > 0 ? fmt::format("gpus_per_node: {}", have)
                                    : fmt::format("gpus: {}", have / asks_.tasks_per_node),
          "requests {} per node, the largest of partition '{}' has {}", counted(wanted, "GPU"),
          partition_.name, have);
    }
  }

  /// Checks only a plain feature; sbatch checks expressions.
  void check_features() {
    const auto feature = site_.launch.gpu_flag == "constraint" && asks_.constraint.empty()
                             ? asks_.gpu
                             : asks_.constraint;
    if (feature.empty() || feature.find_first_of("&|[]*()") != std::string::npos) {
      return;
    }
    std::vector<std::string> known;
    for (const auto& kind : partition_.kinds) {
      known.insert(known.end(), kind.features.begin(), kind.features.end());
    }
    if (std::find(known.begin(), known.end(), feature) == known.end()) {
      add("see 'sinfo -o %f'", "no node of partition '{}' has the feature '{}'{}", partition_.name,
          feature, did_you_mean(feature, known));
    }
  }

  const AllocationProfile& site_;
  const run::Allocation& asks_;
  const Partition& partition_;
  const slurm::User& user_;
  std::vector<Problem> problems_;
};

/// What keeps each partition from the job, in their order.
std::vector<std::vector<Problem>> problems_by_partition(const AllocationProfile& site,
                                                        const std::vector<Partition>& partitions,
                                                        const slurm::User& user) {
  std::vector<std::vector<Problem>> problems;
  for (const auto* partition : slurm::among(partitions, run::partitions_of(site.asks))) {
    problems.push_back(SiteCheck(site, *partition, user).run());
  }
  return problems;
}

/// The job waits for the first of several partitions that can run it.
bool any_fits(const std::vector<std::vector<Problem>>& problems) {
  return std::ranges::any_of(problems, [](const auto& of_one) { return of_one.empty(); });
}

}  // namespace

std::vector<std::string> partition_remarks(const AllocationProfile& site,
                                           const std::vector<Partition>& partitions,
                                           const slurm::User& user) {
  const auto problems = problems_by_partition(site, partitions, user);
  std::vector<std::string> remarks;
  for (const auto& of_one : problems) {
    if (any_fits(problems) && !of_one.empty()) {
      remarks.push_back(fmt::format("allocation '{}': {}; the job waits for the other partitions",
                                    site.name, join(mapped(of_one, &Problem::text), "; ")));
    }
  }
  return remarks;
}

std::vector<Problem> check_site(const AllocationProfile& site,
                                const std::vector<Partition>& partitions, const slurm::User& user) {
  const auto wanted = run::partitions_of(site.asks);
  if (wanted.empty() && slurm::among(partitions, wanted).empty()) {
    return {{site.name, "has no partition, and the cluster has no default one",
             "add 'partition: ...'"}};
  }
  std::vector<Problem> problems;
  std::vector<std::string> names;
  std::ranges::transform(partitions, std::back_inserter(names), &Partition::name);
  for (const auto& name : wanted) {
    if (std::ranges::find(names, name) == names.end()) {
      problems.push_back(
          {site.name, fmt::format("partition '{}' is unknown{}", name, did_you_mean(name, names)),
           "correct 'partition'"});
    }
  }
  if (const auto found = problems_by_partition(site, partitions, user); !any_fits(found)) {
    std::ranges::for_each(found, [&](const auto& of_one) { epochcast::append(problems, of_one); });
  }
  return problems;
}

}  // namespace epochcast::jobs
