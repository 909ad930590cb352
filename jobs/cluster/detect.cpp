#include "jobs/cluster/detect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "src/core/text.hpp"

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
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  }
  return quoted + "\"";
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
  const auto share_mib = kind.memory_mib * part / std::max<std::int64_t>(1, whole);
  const auto most_mib = partition.max_memory_per_cpu_mib.value_or(share_mib) * cpus;
  if (most_mib < 1024) {
    return fmt::format("{}M", most_mib);
  }
  return fmt::format("{}G", std::max<std::int64_t>(1, std::min(share_mib, most_mib) / 1024));
}

/// The first QOS where the partition allows only some.
std::string qos_text(const Partition& partition) {
  return partition.allow_qos.empty() ? "" : ", qos: " + yaml_text(partition.allow_qos.front());
}

/// What the user should look at, as a comment at the end of the line.
std::string comment_text(const std::vector<std::string>& remarks) {
  return remarks.empty() ? "" : "   # " + join(remarks, "; ");
}

std::vector<std::string> qos_remarks(const Partition& partition) {
  return partition.allow_qos.size() < 2
             ? std::vector<std::string>{}
             : std::vector<std::string>{"QOS: " + join(partition.allow_qos, ", ")};
}

std::string smt_text(const NodeKind& kind) {
  return kind.threads_per_core > 1 ? ", smt: on" : "";
}

/// At least one CPU, but not more than a job may have on a node of the partition.
std::int64_t allowed_cpus(const Partition& partition, std::int64_t cpus) {
  return std::max<std::int64_t>(1, std::min(cpus, partition.max_cpus_per_node.value_or(cpus)));
}

std::string cpu_line(const Partition& partition, const NodeKind& kind) {
  const auto cpus = allowed_cpus(partition, std::min<std::int64_t>(2, kind.cpus));
  return fmt::format("  {}: {{partition: {}, cpus: {}{}, memory: {}, time: {}{}}}{}\n",
                     yaml_text(fmt::format("{}-cpu{}", partition.name, cpus)),
                     yaml_text(partition.name), cpus, smt_text(kind),
                     memory_text(partition, kind, cpus, cpus, kind.cpus), time_text(partition),
                     qos_text(partition), comment_text(qos_remarks(partition)));
}

std::string gpu_line(const Partition& partition, const NodeKind& kind, const slurm::GpuKind& gpu) {
  const auto cpus = allowed_cpus(partition, kind.cpus / std::max<std::int64_t>(1, gpu.count));
  const auto name = fmt::format("{}-{}", partition.name, gpu.type.empty() ? "gpu" : gpu.type);
  const auto type = gpu.type.empty() ? "" : fmt::format(", gpu: {}", yaml_text(gpu.type));
  auto remarks = qos_remarks(partition);
  if (gpu.type.empty()) {
    remarks.emplace_back("which GPU is it? Add 'gpu: NAME, gpu_typed: false'");
  }
  return fmt::format("  {}: {{partition: {}, cpus: {}{}, gpus: 1{}, memory: {}, time: {}{}}}{}\n",
                     yaml_text(name), yaml_text(partition.name), cpus, smt_text(kind), type,
                     memory_text(partition, kind, cpus, 1, gpu.count), time_text(partition),
                     qos_text(partition), comment_text(remarks));
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
      text += fmt::format("  # partition {} is closed to {}\n", partition.name,
                          account.empty() ? "your accounts" : "account " + account);
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
