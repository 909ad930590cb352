#include "jobs/submit/exclude.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "jobs/cluster/sbatch_options.hpp"
#include "jobs/scheduler/scheduler.hpp"
#include "src/base/core/clock.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/quantity.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/ledger/ledger.hpp"
#include "src/record/json_lines.hpp"
#include "src/slurm/host_list.hpp"

namespace epochcast::jobs {
namespace {

namespace fs = std::filesystem;

constexpr double window_s = static_cast<double>(nodes::days) * 24 * 3600;

bool is_old(const fs::path& file) {
  std::error_code error;
  const auto written = fs::last_write_time(file, error);
  return error || written < fs::file_time_type::clock::now() -
                                std::chrono::seconds(static_cast<std::int64_t>(window_s));
}

void add_attempts(const fs::path& records, std::vector<nodes::NodeAttempt>& attempts,
                  std::set<std::string>& jobs) {
  const record::LineSelection few{.without = {"iterations", "metrics", "spans", "telemetry",
                                              "telemetry_cpus", "telemetry_gpus", "operators",
                                              "operator_shapes"}};
  std::error_code error;
  if (!fs::is_directory(records, error)) {
    return;
  }
  for (const auto& entry : entries_of(records)) {
    if (entry.path().extension() != ".jsonl" || is_old(entry.path())) {
      continue;
    }
    const auto lines = record::read_json_lines(entry.path(), few);
    const auto at_s = seconds_since_1970(lines.record.header.created_at.str());
    if (lines.has_header && at_s && *at_s > wall_clock_s() - window_s) {
      attempts.push_back(nodes::attempt_of(lines.record));
      jobs.insert(lines.record.header.job_id.str());
    }
  }
}

/// Jobs whose nodes failed before a record began.
void add_failures(const std::set<std::string>& jobs_with_record,
                  std::vector<nodes::NodeAttempt>& attempts) {
  for (const auto& failure : scheduler().node_failures(nodes::days)) {
    if (failure.node_list.empty() || jobs_with_record.contains(failure.job)) {
      continue;
    }
    const std::chrono::seconds at(static_cast<std::int64_t>(failure.started_at_s));
    attempts.push_back({.nodes = slurm::expand_host_list(failure.node_list),
                        .at = iso8601(std::chrono::system_clock::time_point(at)),
                        .outcome = run::Outcome::lost,
                        .cause = run::FailureCause::node_failure,
                        .reason = "NODE_FAIL"});
  }
}

bool is_in(const slurm::NodeState& node, const std::vector<const slurm::Partition*>& partitions) {
  return std::ranges::any_of(partitions,
                             [&](const auto* partition) { return node.is_in(partition->name); });
}

/// Whether a job of the allocation could run on the node, once that is free.
bool can_hold(const slurm::NodeState& node, const AllocationProfile& site) {
  const auto& asks = site.asks;
  const bool other_gpu = run::gpus_of(asks) > 0 && site.launch.gpu_typed && !asks.gpu.empty() &&
                         !node.gpu.empty() && node.gpu != asks.gpu;
  return !other_gpu && node.runs_jobs && node.cpus >= asks.cpus * asks.tasks_per_node &&
         node.gpus >= run::gpus_on_node(asks) && node.memory_mib * mebibyte >= asks.memory.value;
}

}  // namespace

std::vector<nodes::NodeReport> recent_nodes(const OutFolder& out, const std::string& cluster) {
  std::set<fs::path> folders{out.root};
  if (const auto ledger = ledger::user_ledger(); ledger && is_there(*ledger)) {
    for (const auto& row : ledger::read_newest(*ledger)) {
      if (row.cluster == cluster) {
        folders.insert(row.out);
      }
    }
  }
  std::vector<nodes::NodeAttempt> attempts;
  std::set<std::string> jobs;
  for (const auto& folder : folders) {
    add_attempts(OutFolder(folder).records(), attempts, jobs);
    add_attempts(OutFolder(OutFolder(folder).pilots()).records(), attempts, jobs);
  }
  add_failures(jobs, attempts);
  return nodes::nodes_of(std::move(attempts));
}

Exclusion exclusion_of(const AllocationProfile& site, const std::vector<nodes::NodeReport>& reports,
                       const std::vector<slurm::NodeState>& nodes,
                       const std::vector<slurm::Partition>& partitions) {
  const auto ours = slurm::among(partitions, run::partitions_of(site.asks));
  const auto given = nodes_excluded_by(site);
  std::set<std::string> all;  // one that is down now may be up when the job starts
  std::set<std::string> left;
  for (const auto& node : nodes) {
    if (is_in(node, ours) && std::ranges::find(given, node.name) == given.end()) {
      all.insert(node.name);
      if (can_hold(node, site)) {
        left.insert(node.name);
      }
    }
  }
  Exclusion exclusion;
  for (const auto& report : reports) {
    const auto why = nodes::why_exclude(report, site.launch.exclude_after);
    if (!why.empty() && all.contains(report.node)) {
      left.erase(report.node);
      exclusion.nodes.push_back(report.node);
      exclusion.lines.push_back(fmt::format("{}: leaves out {}", site.name, why));
    }
  }
  if (exclusion.nodes.empty()) {
    return {};
  }
  if (std::cmp_less(left.size(), site.asks.nodes)) {
    return {
        .nodes = {},
        .lines = {fmt::format(
            "{}: 'exclude: auto' leaves out no node: without {} there would be {} for jobs of {}",
            site.name, join(exclusion.nodes, ", "), counted(left.size(), "node"),
            counted(site.asks.nodes, "node"))}};
  }
  append(exclusion.nodes, given);
  return exclusion;
}

}  // namespace epochcast::jobs
