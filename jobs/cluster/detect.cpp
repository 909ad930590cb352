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

/// `part` of `whole` of the node's memory, in whole GiB, at least one.
std::string memory_text(const NodeKind& kind, std::int64_t part, std::int64_t whole) {
  return fmt::format("{}G", std::max<std::int64_t>(1, kind.memory_mib * part /
                                                          std::max<std::int64_t>(1, whole) / 1024));
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
  return fmt::format("  {}: {{partition: {}, cpus: {}{}, memory: {}, time: {}}}\n",
                     yaml_text(fmt::format("{}-cpu{}", partition.name, cpus)),
                     yaml_text(partition.name), cpus, smt_text(kind),
                     memory_text(kind, cpus, kind.cpus), time_text(partition));
}

std::string gpu_line(const Partition& partition, const NodeKind& kind, const slurm::GpuKind& gpu) {
  const auto cpus = allowed_cpus(partition, kind.cpus / std::max<std::int64_t>(1, gpu.count));
  const auto name = fmt::format("{}-{}", partition.name, gpu.type.empty() ? "gpu" : gpu.type);
  const auto type = gpu.type.empty() ? "" : fmt::format(", gpu: {}", yaml_text(gpu.type));
  return fmt::format("  {}: {{partition: {}, cpus: {}{}, gpus: 1{}, memory: {}, time: {}}}\n",
                     yaml_text(name), yaml_text(partition.name), cpus, smt_text(kind), type,
                     memory_text(kind, 1, gpu.count), time_text(partition));
}

}  // namespace

std::string profile_text(const std::vector<Partition>& partitions, const std::string& account,
                         const std::vector<std::string>& accounts) {
  std::string text =
      "# A first profile, from sinfo and scontrol. Edit names, times and memory, and add what a "
      "job "
      "needs before it starts (setup, modules).\n"
      "scheduler: slurm\ndefaults:\n";
  text += account.empty() ? "  signal_lead: 120s\n"
                          : fmt::format("  account: {}\n", yaml_text(account));
  text += "allocations:\n";
  for (const auto& partition : partitions) {
    if (!slurm::is_open_to(partition, account.empty() ? accounts : std::vector{account})) {
      text += fmt::format("  # partition {} is closed to {}\n", partition.name,
                          account.empty() ? "your accounts" : "account " + account);
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
