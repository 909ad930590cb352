#include "src/slurm/site.hpp"

#include <fmt/format.h>
#include <grp.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "src/base/core/text.hpp"
#include "src/slurm/queue.hpp"
#include "src/slurm/time.hpp"

namespace epochcast::slurm {
namespace {

/// The number of "192000" or "192000+". The plus sign means that the nodes differ; the number is
/// the smallest value.
std::int64_t at_least(std::string_view text) {
  return parse_integer(text.substr(0, text.find('+'))).value_or(0);
}

Partition& partition_called(std::vector<Partition>& partitions, const std::string& name) {
  const auto found = std::find_if(partitions.begin(), partitions.end(),
                                  [&](const Partition& p) { return p.name == name; });
  if (found != partitions.end()) {
    return *found;
  }
  partitions.push_back({.name = name, .kinds = {}});
  return partitions.back();
}

}  // namespace

std::vector<GpuKind> parse_gres(std::string_view text) {
  std::vector<GpuKind> gpus;
  for (const auto& entry : split(text, ',')) {
    auto parts = split(entry.substr(0, entry.find('(')), ':');
    std::erase(parts, "no_consume");
    if (parts.size() >= 2 && parts[0] == "gpu") {
      gpus.push_back({parts.size() == 3 ? parts[1] : "", parse_integer(parts.back()).value_or(0)});
    }
  }
  return gpus;
}

std::vector<Partition> parse_site(std::string_view text) {
  std::vector<Partition> partitions;
  for (const auto& line : split(text, '\n')) {
    auto cells = split(line, '|');
    if (cells.size() != 8) {
      continue;
    }
    const bool is_default = cells[0].ends_with('*');
    auto& partition =
        partition_called(partitions, cells[0].substr(0, cells[0].size() - (is_default ? 1 : 0)));
    partition.is_default = is_default;
    partition.max_time_s = parse_time_s(cells[1]).value_or(std::numeric_limits<double>::infinity());
    partition.kinds.push_back(
        {at_least(cells[5]), at_least(cells[2]), at_least(cells[3]),
         std::max<std::int64_t>(1, at_least(cells[6])), parse_gres(cells[4]),
         cells[7] == "(null)" ? std::vector<std::string>{} : split(cells[7], ',')});
  }
  return partitions;
}

void add_partition_limits(std::string_view text, std::vector<Partition>& partitions) {
  Partition* partition = nullptr;
  for (const auto& line : split(text, '\n')) {
    for (const auto& word : split(trim(line), ' ')) {
      const auto equals = word.find('=');
      const auto key = word.substr(0, equals);
      const auto value = equals == std::string::npos ? "" : word.substr(equals + 1);
      if (key == "PartitionName") {
        const auto found = std::ranges::find(partitions, value, &Partition::name);
        partition = found == partitions.end() ? nullptr : &*found;
      } else if (partition == nullptr) {
        continue;
      } else if (key == "MaxCPUsPerNode") {
        partition->max_cpus_per_node = parse_integer(value);  // std::nullopt for UNLIMITED
      } else if (key == "MaxMemPerCPU") {
        partition->max_memory_per_cpu_mib = parse_integer(value);
      } else if (key == "MaxMemPerNode") {
        partition->max_memory_per_node_mib = parse_integer(value);
      } else if (key == "MinNodes") {
        partition->min_nodes = parse_integer(value).value_or(0);
      } else if (key == "PriorityTier") {
        partition->priority_tier = parse_integer(value).value_or(1);
      } else if (key == "PreemptMode") {
        partition->preempt_mode = value;
      } else if (key == "State") {
        partition->state = value;
      } else if (key == "MaxNodes") {
        partition->max_nodes = parse_integer(value);
      } else if (key == "Hidden") {
        partition->is_hidden = value == "YES";
      } else if (key == "RootOnly") {
        partition->root_only = value == "YES";
      } else if (key == "ReqResv") {
        partition->needs_reservation = value == "YES";
      } else if (key == "AllowGroups" && value != "ALL") {
        partition->allow_groups = split(value, ',');
      } else if (key == "AllowQos" && value != "ALL") {
        partition->allow_qos = split(value, ',');
      } else if (key == "AllowAccounts" && value != "ALL") {
        partition->allow_accounts = split(value, ',');
      } else if (key == "DenyAccounts") {
        partition->deny_accounts = split(value, ',');
      }
    }
  }
}

void add_config(std::string_view text, Site& site) {
  for (const auto& line : split(text, '\n')) {
    const auto equals = line.find('=');
    if (equals == std::string::npos) {
      continue;
    }
    const auto key = trim(std::string_view(line).substr(0, equals));
    const auto value = trim(std::string_view(line).substr(equals + 1));
    if (key == "EnforcePartLimits") {
      site.all_must_fit = value == "ALL";
    } else if (key == "PreemptType") {
      site.by_partition = value == "preempt/partition_prio";
    }
  }
}

bool is_among(const Partition& partition, const std::vector<std::string>& names) {
  return names.empty() ? partition.is_default
                       : std::ranges::find(names, partition.name) != names.end();
}

std::vector<const Partition*> among(const std::vector<Partition>& partitions,
                                    const std::vector<std::string>& names) {
  std::vector<const Partition*> found;
  for (const auto& partition : partitions) {
    if (is_among(partition, names)) {
      found.push_back(&partition);
    }
  }
  return found;
}

const Partition* bounding(const Site& site, const std::vector<std::string>& names) {
  const auto ours = among(site.partitions, names);
  const auto [shortest, longest] =
      std::ranges::minmax_element(ours, {}, [](const Partition* one) { return one->max_time_s; });
  return ours.empty() ? nullptr : *(site.all_must_fit ? shortest : longest);
}

std::int64_t nodes_of(const Partition& partition) {
  std::int64_t nodes = 0;
  for (const auto& kind : partition.kinds) {
    nodes += kind.nodes;
  }
  return nodes;
}

User this_user() {
  std::vector<gid_t> ids(static_cast<std::size_t>(std::max(0, getgroups(0, nullptr))));
  ids.resize(static_cast<std::size_t>(std::max(0, getgroups(int(ids.size()), ids.data()))));
  ids.push_back(getegid());
  User user{.groups = {}, .is_root = geteuid() == 0};
  for (const auto id : ids) {
    if (const auto* group = getgrgid(id)) {
      user.groups.emplace_back(group->gr_name);
    }
  }
  return user;
}

std::string why_closed(const Partition& partition, const User& user) {
  if (partition.root_only && !user.is_root) {
    return "is for root only (RootOnly=YES)";
  }
  const auto nodes = std::min(nodes_of(partition), partition.max_nodes.value_or(INT64_MAX));
  if (nodes == 0) {
    return nodes_of(partition) == 0 ? "has no nodes" : "allows no nodes (MaxNodes=0)";
  }
  if (nodes < partition.min_nodes) {
    return fmt::format("requires {} nodes (MinNodes) and gives a job {} at most",
                       partition.min_nodes, nodes);
  }
  const auto& allowed = partition.allow_groups;
  const bool is_member = std::ranges::any_of(user.groups, [&](const std::string& group) {
    return std::ranges::find(allowed, group) != allowed.end();
  });
  if (!allowed.empty() && !user.groups.empty() && !is_member && !user.is_root) {
    return fmt::format("is for the group{} {} only (AllowGroups)", allowed.size() > 1 ? "s" : "",
                       join(allowed, ", "));
  }
  return partition.state == "UP" ? ""
                                 : fmt::format("starts no jobs now (State={})", partition.state);
}

bool is_open_to(const Partition& partition, const std::vector<std::string>& accounts) {
  const auto may_use = [&](const std::string& account) {
    const auto names = [&](const std::vector<std::string>& list) {
      return std::ranges::find(list, account) != list.end();
    };
    return (partition.allow_accounts.empty() || names(partition.allow_accounts)) &&
           !names(partition.deny_accounts);
  };
  return accounts.empty() || std::ranges::any_of(accounts, may_use);
}

}  // namespace epochcast::slurm
