#include "src/slurm/cluster_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/slurm/accounting_cells.hpp"
#include "src/slurm/host_list.hpp"
#include "src/slurm/site.hpp"
#include "src/slurm/time.hpp"

namespace epochcast::slurm {
namespace {

constexpr std::array queue_columns{
    "JobID:30",         "State:30",        "UserName:100",  "Partition:1000",  "NumNodes:20",
    "NumCPUs:20",       "tres-alloc:1000", "TimeLimit:30",  "TimeUsed:30",     "PriorityLong:30",
    "OverSubscribe:30", "Feature:500",     "NodeList:8000", "EligibleTime:40", "Reason:200",
    "Name:200"};  // the last: it may contain the '|' between the columns

/// States of a node in which it takes no job (sinfo(1), NODE STATE CODES). A node that is powered
/// down to save energy is started for a job.
bool takes_jobs(std::string_view state) {
  constexpr std::array bad{"DOWN",   "DRAIN",   "FAIL",           "ERROR",  "MAINT",
                           "FUTURE", "UNKNOWN", "NOT_RESPONDING", "INVALID"};
  return std::ranges::none_of(
      bad, [&](const char* word) { return state.find(word) != std::string_view::npos; });
}

void take_node_word(std::string_view key, std::string_view value, NodeState& node) {
  const auto number = [&] { return parse_integer(value).value_or(0); };
  if (key == "NodeName") {
    node.name = value;
  } else if (key == "CPUTot" && node.cpus == 0) {
    node.cpus = number();
  } else if (key == "CPUEfctv") {  // without the CPUs that are kept for the system
    node.cpus = number();
  } else if (key == "CPUAlloc") {
    node.cpus_held = number();
  } else if (key == "RealMemory") {
    node.memory_mib = number();
  } else if (key == "AllocTRES") {
    node.gpus_held = parse_tres(value).gpus;
  } else if (key == "Gres") {
    for (const auto& kind : parse_gres(value)) {
      node.gpu = node.gpus == 0 ? kind.type : node.gpu;
      node.gpus += kind.count;
    }
  } else if (key == "State") {
    node.runs_jobs = takes_jobs(value);
  } else if (key == "Partitions") {
    node.partitions = split(value, ',');
  } else if (key == "ActiveFeatures" && value != "(null)") {
    node.features = split(value, ',');
  }
}

NodeState node_state(const std::string& line) {
  NodeState node;
  for (const auto& word : split(line, ' ')) {
    const auto equals = word.find('=');
    if (word.starts_with("Reason=")) {
      break;  // free text of the staff, at the end
    }
    if (equals != std::string::npos) {
      take_node_word(std::string_view(word).substr(0, equals),
                     std::string_view(word).substr(equals + 1), node);
    }
  }
  return node;
}

QueuedJob queued_job(const std::vector<std::string>& cells) {
  const auto cell = [&](std::size_t i) { return std::string(trim(cells[i])); };
  const auto tres = parse_tres(cell(6));
  const auto limit_s = parse_time_s(cell(7));
  if (!limit_s && cell(7) != "NOT_SET" && cell(7) != "INVALID") {
    throw Error(fmt::format("TimeLimit: found '{}', expected a time", printable(cell(7))));
  }
  const auto text = [&](std::size_t i) {
    return cell(i) == "(null)" || cell(i) == "N/A" || cell(i) == "None" ? "" : cell(i);
  };
  QueuedJob job{.id = cell(0),
                .state = parse_state(cell(1)),
                .user = cell(2),
                .partitions = split(cell(3), ','),
                .nodes = std::max<std::int64_t>(1, parse_integer(cell(4)).value_or(1)),
                .cpus = std::max<std::int64_t>(1, parse_integer(cell(5)).value_or(1)),
                .memory_mib = tres.memory_mib,
                .gpus = tres.gpus,
                .gpu = tres.gpu.find('+') == std::string::npos ? tres.gpu : "",
                .elapsed_s = parse_time_s(cell(8)).value_or(0),
                .priority = parse_double(cell(9)).value_or(0),
                .exclusive = cell(10) == "NO",
                .features = text(11),
                .node_names = expand_host_list(text(12)),
                .reason = text(14),
                .eligible_at = text(13),
                .name = printable(cell(15))};
  if (limit_s) {
    job.limit_s = *limit_s;
  }
  return job;
}

}  // namespace

std::vector<NodeState> parse_nodes(std::string_view text) {
  std::vector<NodeState> nodes;
  for (const auto& line : split(text, '\n')) {
    if (line.starts_with("NodeName=")) {
      nodes.push_back(node_state(line));
    }
  }
  return nodes;
}

std::string queued_job_format() {
  std::vector<std::string> parts;
  for (const auto* column : queue_columns) {
    parts.push_back(std::string(column) + "|");
  }
  return join(parts, ",");
}

std::vector<QueuedJob> parse_queued_jobs(std::string_view text,
                                         std::vector<std::string>& problems) {
  std::vector<QueuedJob> jobs;
  for (const auto& line : split(text, '\n')) {
    if (trim(line).empty()) {
      continue;
    }
    auto cells = split(line, '|');
    if (cells.size() < queue_columns.size()) {
      problems.push_back(fmt::format("squeue: found {} cells in '{:.60}', expected {}",
                                     cells.size(), printable(line), queue_columns.size()));
      continue;
    }
    try {
      jobs.push_back(queued_job(cells));
    } catch (const Error& error) {
      problems.push_back(
          fmt::format("squeue: job {}: {}", printable(trim(cells[0])), error.what()));
    }
  }
  return jobs;
}

double parse_backfill_interval_s(std::string_view text) {
  constexpr double default_s = 30;
  constexpr std::string_view key = "bf_interval=";
  const auto at = text.find(key);
  if (at == std::string_view::npos) {
    return default_s;
  }
  const auto rest = text.substr(at + key.size());
  const auto seconds = parse_integer(rest.substr(0, rest.find_first_of(", \n")));
  return seconds && *seconds > 0 ? static_cast<double>(*seconds) : default_s;
}

bool parse_counts_memory(std::string_view text) {
  constexpr std::string_view key = "SelectTypeParameters";
  const auto at = text.find(key);
  if (at == std::string_view::npos) {
    return true;
  }
  const auto line = text.substr(at, text.find('\n', at) - at);
  return to_lower(line).find("memory") != std::string::npos;
}

bool waits_for_room(const QueuedJob& job) {
  constexpr std::array reasons{"", "Priority", "Resources", "Reservation", "Prolog"};
  return job.state == JobState::pending && std::ranges::find(reasons, job.reason) != reasons.end();
}

}  // namespace epochcast::slurm
