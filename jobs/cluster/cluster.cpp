#include "jobs/cluster/cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "jobs/cluster/sbatch_options.hpp"
#include "src/base/config/field_values.hpp"
#include "src/base/config/yaml_group.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::jobs {
namespace {

using run::yaml::Node;

struct ListKey {
  std::string_view name;
  std::string_view meaning;
  std::vector<std::string> AllocationProfile::*member;
};

constexpr std::array list_keys{
    ListKey{"modules", "Names for `module load`", &AllocationProfile::modules},
    ListKey{"setup", "Shell lines to run before the program, after the modules",
            &AllocationProfile::setup},
    ListKey{"launch_prefix",
            "Command before the program, such as [apptainer, exec, --nv, image.sif]",
            &AllocationProfile::launch_prefix},
    ListKey{"sbatch", "Further sbatch options, such as --reservation=course",
            &AllocationProfile::sbatch}};

constexpr const char* container_key = "container";
constexpr const char* prices_key = "prices";

/// Keys whose value is a group of keys: no allocation can have such a name.
bool is_group_key(std::string_view key) {
  return key == container_key || key == prices_key || key == retry_key || key == pack_key ||
         key == notify_key;
}

/// "cpus_per_task" is the clearer name beside nodes and tasks_per_node; "cpus" is its short form.
std::string_view canonical_key(std::string_view key) {
  if (key == "cpus_per_task") {
    return "cpus";
  }
  return key == "gpus_per_task" ? "gpus" : key;
}

std::vector<std::string> known_keys() {
  auto names = run::field_names<run::Allocation>();
  const auto launch = run::field_names<Launch>();
  names.insert(names.end(), launch.begin(), launch.end());
  for (const auto& key : list_keys) {
    names.emplace_back(key.name);
  }
  names.insert(names.end(), {container_key, prices_key, retry_key, pack_key, notify_key,
                             "cpus_per_task", "gpus_per_task", "tasks"});
  return names;
}

template <class Struct>
bool has_field(std::string_view name) {
  const auto names = run::field_names<Struct>();
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// "a,b" of "a, b" or [a, b].
std::string comma_list(const std::string& key, const Node& value) {
  std::vector<std::string> names;
  for (const auto& line : value.lines()) {
    for (const auto& name : split(line, ',')) {
      names.emplace_back(trim(name));
    }
  }
  if (names.size() > 1 && std::ranges::count(names, "") > 0) {
    throw value.error(
        fmt::format("{}: found '{}', expected names between the commas", key, join(names, ",")));
  }
  return join(names, ",");
}

void read_gres(const Node& value, AllocationProfile& site) {
  site.asks.gres = comma_list("gres", value);
  for (const auto& item : split(site.asks.gres, ',')) {
    if (split(item, ':').front() == "gpu") {
      throw value.error(fmt::format(
          "gres: found '{}', expected resources besides GPUs; 'gpus' and 'gpu' ask for those",
          item));
    }
  }
}

/// Keys of `asks` that are not one value of its type. Returns whether `key` is one.
bool read_special_key(std::string_view key, const Node& value, AllocationProfile& site) {
  if (key == "partition") {
    site.asks.partition = comma_list("partition", value);
  } else if (key == "gres") {
    read_gres(value, site);
  } else if (key == "memory") {
    const auto& text = value.one_line();
    site.whole_memory = text == "all" || text == "0";
    site.asks.memory = {};
    return site.whole_memory;
  } else if (key == "time_min") {
    site.launch.time_min_by_forecast = value.one_line() == "forecast";
    site.launch.time_min = {};
    return site.launch.time_min_by_forecast;
  } else {
    return false;
  }
  return true;
}

void read_site_key(const std::string& key, const Node& value, AllocationProfile& site) {
  if (key == container_key) {
    return read_container(value, site.container);
  }
  if (key == prices_key) {
    return run::read_prices(value, site.prices);
  }
  if (key == retry_key) {
    return read_retry(value, site.retry);
  }
  if (key == pack_key) {
    return read_pack(value, site.pack);
  }
  if (key == notify_key) {
    return read_notify(value, site.notify);
  }
  for (const auto& list : list_keys) {
    if (list.name == key) {
      site.*list.member = value.lines();
      return;
    }
  }
  const auto name = canonical_key(key);
  if (read_special_key(name, value, site)) {
    return;
  }
  if (name == "gpus" || name == "gpus_per_node") {  // of the two, the later one counts
    site.asks.gpus = site.asks.gpus_per_node = 0;
  }
  try {
    if (has_field<run::Allocation>(name)) {
      run::set_field_by_name(site.asks, name, value.one_line());
    } else if (has_field<Launch>(name)) {
      run::set_field_by_name(site.launch, name, value.one_line());
    } else {
      throw Error(fmt::format("unknown key '{}'{}", key, did_you_mean(key, known_keys())));
    }
  } catch (const Error& error) {
    const std::string text(error.what());
    throw text.starts_with(value.file) ? error : value.error(text);
  }
}

/// "tasks: 8" counts the tasks of the whole job; the profile keeps those of a node.
void divide_tasks(const Node& tasks, run::Allocation& asks) {
  const auto count = parse_integer(tasks.text());
  if (!count || *count < 1 || *count % asks.nodes != 0) {
    throw tasks.error(fmt::format(
        "tasks: found '{}', expected a whole number >=1 that {} node{} divide{}", tasks.text(),
        asks.nodes, asks.nodes == 1 ? "" : "s", asks.nodes == 1 ? "s" : ""));
  }
  asks.tasks_per_node = *count / asks.nodes;
}

void read_site_keys(const Node& node, AllocationProfile& site) {
  const Node* tasks = nullptr;
  std::map<std::string_view, std::string> seen;  // the key that set a value in this group
  for (const auto& [key, value] :
       node.as_map("a group of keys, such as '{cpus: 2, memory: 4G}'").map) {
    const auto what = key == "tasks"           ? "tasks_per_node"
                      : key == "gpus_per_node" ? "gpus"
                                               : canonical_key(key);
    if (const auto [first, is_new] = seen.emplace(what, key); !is_new) {
      throw value.error(fmt::format("{} and {} are mutually exclusive: both set the same value",
                                    first->second, key));
    }
    if (key == "tasks") {
      tasks = &value;
    } else {
      read_site_key(key, value, site);
    }
  }
  if (tasks != nullptr) {
    divide_tasks(*tasks, site.asks);
  }
}

/// Whether the entry of `overrides` is a group under the name of an allocation.
bool is_of_allocation(const std::pair<std::string, Node>& entry) {
  return entry.second.kind == Node::Kind::map && !is_group_key(entry.first);
}

/// Values for all allocations, and groups of them under the names of allocations.
void read_overrides(const Node& overrides, AllocationProfile& site) {
  auto common = overrides;
  std::erase_if(common.map, is_of_allocation);
  read_site_keys(common, site);
  if (const auto* own = overrides.find(site.name); own != nullptr && own->kind == Node::Kind::map) {
    read_site_keys(*own, site);
  }
}

void check_overridden(const Node& overrides, const Node& allocations) {
  std::vector<std::string> names;
  for (const auto& [name, ignored] : allocations.map) {
    names.push_back(name);
  }
  for (const auto& entry : overrides.as_map("a group of keys").map) {
    if (is_of_allocation(entry) && allocations.find(entry.first) == nullptr) {
      throw entry.second.error(
          fmt::format("unknown allocation '{}'{}", entry.first, did_you_mean(entry.first, names)));
    }
  }
}

/// Relative paths are relative to the folder of the profile, not to the caller's; a trainer in a
/// container has a path of its own.
void resolve_paths(AllocationProfile& site, const std::string& file) {
  resolve_image(site.container, std::filesystem::path(file).parent_path());
  if (site.container.is_used()) {
    return;
  }
  for (auto* path : {&site.launch.trainer, &site.launch.torch}) {
    if (path->find('/') != std::string::npos && !path->starts_with('/')) {
      *path = absolute_path(std::filesystem::path(file).parent_path() / *path).lexically_normal();
    }
  }
}

/// Throws Error if no job can run several points of the allocation.
void check_pack(const AllocationProfile& site, bool local) {
  const auto& [points, parallel, per] = site.pack;
  if (parallel > points) {
    throw Error(
        fmt::format("pack.parallel: found {}, expected at most points, {}", parallel, points));
  }
  if (!site.pack.is_used()) {
    return;
  }
  if (local || site.asks.nodes > 1 || !site.asks.gres.empty()) {
    throw Error("pack: expected an allocation of one node of Slurm, without gres");
  }
  if (per == "node" && parallel > 1 && run::gpus_of(site.asks) > 0) {
    throw Error(
        "pack.per: found node, but the allocation has GPUs; gpu: each point has its own, "
        "shared_gpu: they share them");
  }
}

void check_site(const AllocationProfile& site, const Node& at, bool local) {
  const auto& asks = site.asks;
  const auto refuse = [&](const std::string& what) {
    throw at.error(fmt::format("{}: {}", site.name, what));
  };
  const bool takes_memory = site.launch.memory_flag != "none";
  if (!local && takes_memory && asks.memory.value == 0 && !site.whole_memory) {
    refuse(
        "memory is missing; without it a job may get the memory of a whole node. Add 'memory: "
        "16G', 'memory: all' for all memory of the nodes (--mem=0), or 'memory_flag: none' if the "
        "site refuses --mem");
  }
  if (!local && asks.time.value == 0) {
    refuse("time is missing. Add 'time: 2h'");
  }
  if (asks.time.value > 0 && asks.time.value <= site.launch.signal_lead.value) {
    refuse(
        fmt::format("time {} is not longer than signal_lead {}, so the job would stop at once; "
                    "raise 'time' "
                    "or lower 'signal_lead'",
                    to_text(asks.time), to_text(site.launch.signal_lead)));
  }
  const auto& least = site.launch.time_min;
  if (least.value > 0 &&
      (least.value > asks.time.value || least.value <= site.launch.signal_lead.value)) {
    refuse(fmt::format("time_min: found {}, expected more than signal_lead {} and at most time {}",
                       to_text(least), to_text(site.launch.signal_lead), to_text(asks.time)));
  }
  if (run::gpus_of(asks) == 0 && !asks.gpu.empty()) {
    refuse(fmt::format("gpu: {} without a number. Add 'gpus: 1'", asks.gpu));
  }
  if (run::gpus_of(asks) > 0 && asks.gpu.empty() && site.launch.gpu_flag == "constraint") {
    refuse("gpu_flag: constraint needs the GPU's feature. Add 'gpu: t4'");
  }
  try {
    check_container(site.container, local);
    check_sbatch_entries(site);
    check_pack(site, local);
    run::check_prices(site.prices);
  } catch (const Error& error) {
    refuse(error.what());
  }
}

}  // namespace

std::vector<cli::KeyRow> allocation_keys() {
  std::vector<cli::KeyRow> keys;
  const auto append = [&](std::vector<cli::KeyRow> rows) {
    keys.insert(keys.end(), rows.begin(), rows.end());
  };
  append(cli::key_rows<run::Allocation>());
  keys.push_back({"cpus_per_task", "integer", "", "1", "Another name of cpus"});
  keys.push_back({"gpus_per_task", "integer", "", "1", "Another name of gpus"});
  keys.push_back(
      {"tasks", "integer", "", "1", "Tasks of the whole job, instead of tasks_per_node"});
  append(cli::key_rows<Launch>());
  append(container_keys());
  append(cli::group_rows<run::Prices>(prices_key, "What the site charges"));
  append(retry_keys());
  append(cli::group_rows<Pack>(pack_key, "Several points in one job"));
  append(notify_keys());
  for (const auto& key : list_keys) {
    keys.push_back({std::string(key.name), "list", "", "1", std::string(key.meaning)});
  }
  return keys;
}

Cluster cluster_from(const Node& document) {
  Cluster cluster;
  cluster.file = document.file;
  cluster.name = std::filesystem::path(document.file).stem();
  AllocationProfile defaults;
  const Node* allocations = nullptr;
  const Node* overrides = nullptr;
  for (const auto& [key, value] : document.as_map("a cluster's profile: a group of keys").map) {
    if (key == "scheduler") {
      cluster.scheduler = value.text();
      if (cluster.scheduler != "slurm" && cluster.scheduler != "local") {
        throw value.error(
            fmt::format("scheduler: found '{}', expected one of slurm, local", cluster.scheduler));
      }
    } else if (key == "defaults") {
      read_site_keys(value, defaults);
    } else if (key == "allocations") {
      allocations = &value;
    } else if (key == "overrides") {
      overrides = &value;
    } else {
      throw value.error(
          fmt::format("unknown key '{}'{}", key,
                      did_you_mean(key, {"scheduler", "defaults", "allocations", "overrides"})));
    }
  }
  if (cluster.scheduler.empty() || allocations == nullptr) {
    throw Error(document.file, 1,
                fmt::format("found no {0}, expected '{0}: ...'",
                            cluster.scheduler.empty() ? "scheduler" : "allocations"));
  }
  allocations->as_map("allocations by name");
  if (overrides != nullptr) {
    check_overridden(*overrides, *allocations);
  }
  for (const auto& [name, value] : allocations->map) {
    try {
      run::check_allocation_name(name);
      if (is_group_key(name)) {
        throw Error(fmt::format("'{}' is a key and cannot be the name of an allocation", name));
      }
    } catch (const Error& error) {
      throw value.error(error.what());
    }
    AllocationProfile site = defaults;
    site.name = name;
    read_site_keys(value, site);
    if (overrides != nullptr) {
      read_overrides(*overrides, site);
    }
    resolve_paths(site, document.file);
    check_site(site, value, cluster.is_local());
    cluster.allocations.push_back(std::move(site));
  }
  return cluster;
}

Cluster read_cluster(const std::string& path, const SiteSettings& settings) {
  auto document = run::yaml::parse_file(path);
  const auto lines = add_overrides(document, settings);
  auto cluster = cluster_from(document);
  cluster.text = read_file(path) + lines;
  return cluster;
}

std::set<std::string> notify_commands(const Cluster& cluster) {
  std::set<std::string> commands;
  for (const auto& site : cluster.allocations) {
    if (!site.notify.command.empty()) {
      commands.insert(site.notify.command);
    }
  }
  return commands;
}

AllocationProfile packed(AllocationProfile site) {
  if (site.pack.parallel == 1) {
    return site;
  }
  auto& asks = site.asks;
  const auto [points, parallel, per] = site.pack;
  asks.gpus_per_node = run::gpus_on_node(asks) * (site.pack.shares_gpu() ? 1 : parallel);
  asks.gpus = 0;
  asks.tasks_per_node *= parallel;
  asks.memory.value *= parallel;
  return site;
}

void read_pack(const Node& node, Pack& pack) {
  run::yaml::read_group(
      node, {.name = pack_key, .example = "{points: 8, parallel: 2}", .lists = {}}, pack);
}

void apply(const JobRules& rules, Cluster& cluster) {
  for (auto& site : cluster.allocations) {
    if (rules.retry.kind != Node::Kind::null) {
      read_retry(rules.retry, site.retry);
    }
    if (rules.notify.kind != Node::Kind::null) {
      read_notify(rules.notify, site.notify);
    }
    if (rules.pack.kind == Node::Kind::null || cluster.is_local()) {
      continue;
    }
    read_pack(rules.pack, site.pack);
    try {
      check_pack(site, false);
    } catch (const Error& error) {
      throw rules.pack.error(fmt::format("{}: {}", site.name, error.what()));
    }
  }
}

const AllocationProfile* find_profile(const Cluster& cluster, const std::string& name) {
  const auto found = std::find_if(cluster.allocations.begin(), cluster.allocations.end(),
                                  [&](const AllocationProfile& site) { return site.name == name; });
  return found == cluster.allocations.end() ? nullptr : &*found;
}

AllocationProfile with_lead(AllocationProfile site, Seconds program_lead) {
  auto& lead_s = site.launch.signal_lead.value;
  lead_s = std::max(lead_s, program_lead.value);
  return site;
}

const AllocationProfile& profile_of(const Cluster& cluster, const std::string& name) {
  if (const auto* profile = find_profile(cluster, name)) {
    return *profile;
  }
  std::vector<std::string> names;
  for (const auto& profile : cluster.allocations) {
    names.push_back(profile.name);
  }
  throw Error(
      fmt::format("{}: has no allocation '{}'{}", cluster.file, name, did_you_mean(name, names)));
}

}  // namespace epochcast::jobs
