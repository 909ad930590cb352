#include "jobs/cluster/detect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "src/base/core/text.hpp"

namespace epochcast::jobs {
namespace {

using slurm::NodeKind;
using slurm::Partition;

/// A name, in double quotes if YAML would not read it as plain text.
std::string yaml_text(const std::string& text) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) {
    return text;
  }
  std::string quoted;
  for (const char c : text) {
    quoted += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  }
  return '"' + printable(quoted) + '"';  // its escapes are those of YAML, too
}

/// A day, or the partition's limit if that is shorter; a short limit also needs a short lead of the
/// signal.
std::string time_text(const Partition& partition) {
  constexpr double day_s = 86400, lead_s = 120;
  const double time_s = std::min(day_s, partition.max_time_s);
  return format_duration(time_s) +
         (time_s > 2 * lead_s ? "" : ", signal_lead: " + format_duration(std::floor(time_s / 4)));
}

/// `part` of `whole` of the node's memory, in whole GiB, at least one; not more than the partition
/// allows for `cpus` CPUs.
std::string memory_text(const Partition& partition, const NodeKind& kind, std::int64_t cpus,
                        std::int64_t part, std::int64_t whole) {
  constexpr std::int64_t gibibyte_mib = 1024;
  auto mib = std::max(gibibyte_mib, kind.memory_mib * part / std::max<std::int64_t>(1, whole));
  mib = std::min(mib, partition.max_memory_per_cpu_mib.value_or(mib) * cpus);
  mib = std::min(mib, partition.max_memory_per_node_mib.value_or(mib));
  return mib < gibibyte_mib ? fmt::format("{}M", mib) : fmt::format("{}G", mib / gibibyte_mib);
}

std::string smt_text(const NodeKind& kind) {
  return kind.threads_per_core > 1 ? ", smt: on" : "";
}

std::string nodes_text(const Partition& partition) {
  return partition.min_nodes > 1 ? fmt::format(", nodes: {}", partition.min_nodes) : "";
}

/// At least one CPU, but not more than a job may have on a node of the partition.
std::int64_t allowed_cpus(const Partition& partition, std::int64_t cpus) {
  return std::max<std::int64_t>(1, std::min(cpus, partition.max_cpus_per_node.value_or(cpus)));
}

/// What an allocation asks for of a node.
struct Share {
  std::string name;
  std::int64_t cpus = 1;
  std::string gpus;  ///< ", gpus: 1, gpu: t4"
  std::string memory;
  std::string remark = {};  ///< What the user should look at.
};

/// One allocation, with what is the same for all of its partition.
std::string allocation_line(const Partition& partition, const NodeKind& kind, const Share& share) {
  const auto& qos = partition.allow_qos;
  std::vector<std::string> remarks;
  if (qos.size() > 1) {
    remarks.push_back("QOS: " + join(qos, ", "));
  }
  if (!share.remark.empty()) {
    remarks.push_back(share.remark);
  }
  return fmt::format("  {}: {{partition: {}, cpus: {}{}{}{}, memory: {}, time: {}{}}}{}\n",
                     yaml_text(fmt::format("{}-{}", partition.name, share.name)),
                     yaml_text(partition.name), share.cpus, smt_text(kind), nodes_text(partition),
                     share.gpus, share.memory, time_text(partition),
                     qos.empty() ? "" : ", qos: " + yaml_text(qos.front()),
                     remarks.empty() ? "" : "   # " + printable(join(remarks, "; ")));
}

std::string cpu_line(const Partition& partition, const NodeKind& kind) {
  const auto cpus = allowed_cpus(partition, std::min<std::int64_t>(2, kind.cpus));
  return allocation_line(partition, kind,
                         {.name = fmt::format("cpu{}", cpus),
                          .cpus = cpus,
                          .gpus = "",
                          .memory = memory_text(partition, kind, cpus, cpus, kind.cpus)});
}

std::string gpu_line(const Partition& partition, const NodeKind& kind, const slurm::GpuKind& gpu) {
  const auto cpus = allowed_cpus(partition, kind.cpus / std::max<std::int64_t>(1, gpu.count));
  Share share{.name = "gpu",
              .cpus = cpus,
              .gpus = ", gpus: 1",
              .memory = memory_text(partition, kind, cpus, 1, gpu.count)};
  if (gpu.type.empty()) {
    share.remark = "which GPU is it? Add 'gpu: NAME, gpu_typed: false'";
  } else {
    share.name = gpu.type;
    share.gpus += ", gpu: " + yaml_text(gpu.type);
  }
  return allocation_line(partition, kind, share);
}

/// The keys of all allocations; what is not known, as a comment.
std::string defaults_text(const SiteFacts& facts) {
  std::string text = "defaults:\n  signal_lead: 120s\n";
  text += facts.account.empty() ? "  # account: NAME        # sacctmgr names none for you; add it "
                                  "if sbatch asks for one\n"
                                : fmt::format("  account: {}\n", yaml_text(facts.account));
  const auto runtime = facts.runtimes.empty() ? "apptainer" : facts.runtimes.front();
  text += facts.image.empty()
              ? fmt::format(
                    "  # container: {{runtime: {}, image: /path/epochcast.sif, binds: "
                    "[\"/data:/data\"]}}   # on this machine: {}\n",
                    runtime,
                    facts.runtimes.empty() ? "no container runtime" : join(facts.runtimes, ", "))
              : fmt::format("  container: {{runtime: {}, image: {}}}\n", runtime,
                            yaml_text(facts.image));
  text += facts.trainer.empty()
              ? "  # trainer: /path/epochcast-train   # if the nodes need another than that beside "
                "epochcast-jobs, such as one for their GPU\n"
              : fmt::format("  trainer: {}\n", yaml_text(facts.trainer));
  return text + "  # modules, setup: what a job needs before it starts\n";
}

}  // namespace

std::string profile_text(const std::vector<Partition>& partitions, const SiteFacts& facts) {
  auto text =
      "# A first profile, from sinfo and scontrol. Edit names, times and memory.\n"
      "scheduler: slurm\n" +
      defaults_text(facts) + "allocations:\n";
  const auto& account = facts.account;
  for (const auto& partition : partitions) {
    if (!slurm::is_open_to(partition, account.empty() ? facts.accounts : std::vector{account})) {
      text += fmt::format("  # partition {} is closed to {}\n", printable(partition.name),
                          account.empty() ? "your accounts" : "account " + printable(account));
      continue;
    }
    if (const auto reason = slurm::why_closed(partition, facts.user); !reason.empty()) {
      text += fmt::format("  # partition {} {}\n", partition.name, reason);
      continue;
    }
    if (partition.needs_reservation) {
      text += fmt::format(
          "  # partition {} is for reservations only (ReqResv=YES); if you have one, write an "
          "allocation with 'sbatch: [\"--reservation=NAME\"]'\n",
          partition.name);
      continue;
    }
    if (partition.is_hidden) {
      text +=
          fmt::format("  # partition {} is hidden; if it is yours, write an allocation for it\n",
                      partition.name);
      continue;
    }
    std::set<std::string> types;
    if (!partition.kinds.empty()) {
      text += cpu_line(partition, partition.kinds.front());
    }
    for (const auto& kind : partition.kinds) {
      for (const auto& gpu : kind.gpus) {
        if (types.insert(gpu.type).second) {
          text += gpu_line(partition, kind, gpu);
        }
      }
    }
  }
  return text;
}

}  // namespace epochcast::jobs
