// What a record says of the use of its job.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "src/base/core/clock.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/efficiency/job_use.hpp"
#include "src/record/outcome.hpp"
#include "src/record/queries.hpp"

namespace epochcast::efficiency {
namespace {

using record::Record;

/// Granted, else asked.
std::string text_in(const Record& record, std::string_view name) {
  const auto* row = record::allocation_row(record, name);
  if (row == nullptr) {
    return "";
  }
  return row->got.view().empty() ? row->asked.str() : row->got.str();
}

std::optional<double> count_in(const Record& record, std::string_view name) {
  return parse_double(text_in(record, name));
}

std::int64_t whole_in(const Record& record, std::string_view name) {
  return std::max<std::int64_t>(1, parse_integer(text_in(record, name)).value_or(1));
}

std::int64_t tasks_of(const Record& record) {
  const auto tasks = parse_integer(text_in(record, "tasks"));
  return tasks && *tasks > 0 ? *tasks
                             : whole_in(record, "nodes") * whole_in(record, "tasks_per_node");
}

/// From the start of the job to the last that is known of the program.
std::optional<double> job_time_s(const Record& record, const JobSamples& samples) {
  double last_s = std::max(record::last_time_s(record), samples.end_s());
  const auto began = seconds_since_1970(record.header.created_at.str());
  const auto ended = seconds_since_1970(record.header.finished_at.str());
  const bool is_lost = record::outcome_of(record.header) == run::Outcome::lost;  // closed later
  if (began && ended && !is_lost) {
    last_s = std::max(last_s, *ended - *began);
  }
  return last_s > 0 ? std::optional(last_s + record::before_program_s(record)) : std::nullopt;
}

/// Whether the command only starts the program elsewhere, where its samples do not reach.
bool starts_elsewhere(const Record& record) {
  const auto command = record::parameter(record, "command");
  const auto word = command.substr(0, command.find(' '));
  const auto name = word.substr(word.rfind('/') + 1);
  return name == "srun" || name == "mpirun" || name == "mpiexec";
}

/// Why the samples do not tell of the whole job; empty: they do.
std::string gap_in(const Record& record, std::size_t ranks, std::int64_t tasks) {
  if (ranks == 0) {
    return "there are no samples of telemetry";
  }
  if (starts_elsewhere(record)) {
    return "the command starts the program by a launcher, of which alone there are samples";
  }
  return static_cast<std::int64_t>(ranks) < tasks
             ? fmt::format("there are samples of {} of {} tasks", ranks, tasks)
             : "";
}

void take_cpus(const JobSamples& samples, const std::string& gap, JobUse& use) {
  double busy = 0;
  double most = record::not_measured;
  for (const auto& [number, rank] : samples.ranks()) {
    busy += rank.busy_cpus();
    most = std::fmax(most, std::fmax(rank.most_cpus, rank.busy_cpus()));
  }
  use.cpus.unknown = gap;
  if (gap.empty() && std::isnan(busy)) {
    use.cpus.unknown = "the kernel does not tell the CPU time of the processes";
  }
  if (use.cpus.unknown.empty()) {
    use.cpus.used = busy;
    use.task_cpus = most;
  }
}

/// The most that any rank held, by the kernel: the end of an epoch reports it.
double reported_most(const Record& record) {
  double most = record::not_measured;
  for (const auto& metric : record.metrics) {
    if (metric.name.view() == "peak_memory_bytes") {
      most = std::fmax(most, metric.value);
    }
  }
  return most;
}

/// NaN: not known. A rank may have held more between two samples. The kernel knows of the largest
/// one; the others are taken to have missed as much.
double most_of_node(const Record& record, const JobSamples& samples) {
  struct Node {
    double bytes = 0;
    double ranks = 0;
  };
  std::map<std::string, Node> of_host;
  double largest = record::not_measured;
  for (const auto& [number, rank] : samples.ranks()) {
    const auto machine = std::ranges::find(record.machines, number, &record::Machine::rank);
    auto& node = of_host[machine == record.machines.end() ? "" : machine->host.str()];
    node.bytes += rank.most_bytes;
    ++node.ranks;
    largest = std::fmax(largest, rank.most_bytes);
  }
  const double missed = std::fmax(0, reported_most(record) - largest);
  double most = record::not_measured;
  for (const auto& [host, node] : of_host) {
    if (std::isnan(node.bytes)) {
      return node.bytes;
    }
    most = std::fmax(most, node.bytes + node.ranks * missed);
  }
  return most;
}

void take_memory(const Record& record, const PeakMemory& peak, JobUse& use) {
  auto& memory = use.memory_bytes;
  memory.used = peak.node_bytes;
  memory.unknown = peak.unknown;
  if (const auto bytes = parse_bytes(text_in(record, "memory")); bytes && *bytes > 0) {
    memory.asked = static_cast<double>(*bytes);
  }
}

void take_gpus(const Record& record, const JobSamples& samples, const PeakMemory& peak,
               JobUse& use) {
  if (!(use.gpus.asked.value_or(0) > 0)) {
    return;
  }
  use.gpu_memory_bytes.used = peak.gpu_bytes;
  if (!record.machines.empty() && record.machines.front().gpu_memory_bytes > 0) {
    use.gpu_memory_bytes.asked = static_cast<double>(record.machines.front().gpu_memory_bytes);
  }
  const auto& gpus = samples.gpus();
  if (gpus.empty()) {
    use.gpus.unknown = "the driver told no use of a GPU";
  } else if (static_cast<double>(gpus.size()) < *use.gpus.asked) {
    use.gpus.unknown =
        fmt::format("there are samples of {} of {:g} GPUs", gpus.size(), *use.gpus.asked);
  } else {
    use.gpus.used = use.gpus_used = 0;
    for (const auto& [name, gpu] : gpus) {
      *use.gpus.used += gpu.covered_s > 0 ? gpu.busy_s / gpu.covered_s : 0;
      *use.gpus_used += gpu.most_use > 0 ? 1 : 0;
    }
  }
}

/// Of our own trainer, which alone measures it.
std::optional<double> data_wait_of(const Record& record) {
  if (!record::parameter(record, "command").empty()) {
    return std::nullopt;
  }
  double wait_s = 0;
  double wall_s = 0;
  for (const auto& epoch : record.epochs) {
    wait_s += epoch.wait_s;
    wall_s += epoch.wall_s;
  }
  return wall_s > 0 ? std::optional(wait_s / wall_s) : std::nullopt;
}

}  // namespace

Granted granted_to(const Record& record) {
  if (const auto cpus = count_in(record, "cpus_of_job")) {
    return {cpus, count_in(record, "gpus").value_or(0)};
  }
  // Slurm's answer counts the CPUs and GPUs of the job; a request without one those of a task.
  const auto tasks =
      count_in(record, "nodes").value_or(1) * count_in(record, "tasks_per_node").value_or(1);
  const auto cpus = count_in(record, "cpus");
  return {cpus ? std::optional(*cpus * tasks) : std::nullopt,
          count_in(record, "gpus").value_or(0) * tasks};
}

PeakMemory peak_memory(const Record& record) {
  JobSamples samples;
  samples.add(record);
  return peak_memory(record, samples);
}

PeakMemory peak_memory(const Record& record, const JobSamples& samples) {
  PeakMemory peak{.tasks = tasks_of(record)};
  if (!std::isnan(samples.most_gpu_bytes())) {
    peak.gpu_bytes = samples.most_gpu_bytes();
  }
  const auto gap = gap_in(record, samples.ranks().size(), peak.tasks);
  double most = most_of_node(record, samples);
  if (peak.tasks == 1) {
    most = std::fmax(most, reported_most(record));
  }
  const bool is_whole = gap.empty() || (peak.tasks == 1 && !starts_elsewhere(record));
  if (is_whole && !std::isnan(most)) {
    peak.node_bytes = most;
  } else {
    peak.unknown = gap.empty() ? "the kernel does not tell the memory of the processes" : gap;
  }
  return peak;
}

JobUse use_of(const Record& record) {
  JobSamples samples;
  samples.add(record);
  return use_of(record, samples);
}

JobUse use_of(const Record& record, const JobSamples& samples) {
  const auto outcome = record::outcome_of(record.header);
  const bool is_done = outcome == run::Outcome::complete || record::is_pilot_done(record.header);
  const bool is_pilot = is_done && outcome != run::Outcome::complete;
  JobUse use{.state = std::string(to_text(outcome)),
             .has_ended = outcome != run::Outcome::running && outcome != run::Outcome::unknown,
             .is_complete = is_done && !is_pilot,
             .is_in_vain = outcome == run::Outcome::failed || outcome == run::Outcome::lost,
             .cause = is_done ? run::FailureCause::none : record::cause_of(record.header),
             .nodes = whole_in(record, "nodes"),
             .tasks = tasks_of(record)};
  const auto granted = granted_to(record);
  use.cpus.asked = granted.cpus;
  if (const auto of_task = parse_double(record::asked(record, "cpus_allowed"));
      !granted.cpus && of_task) {  // one CPU is the default, which is not listed by itself
    use.cpus.asked = *of_task * static_cast<double>(use.tasks);
  }
  use.gpus.asked = granted.gpus;
  use.time_s.used = job_time_s(record, samples);
  use.time_s.asked = record::time_limit_s(record);
  if (!use.time_s.asked) {
    use.time_s.asked = parse_duration_s(record::asked(record, "time"));
  }
  if (!use.time_s.used) {
    use.time_s.unknown = "the record has no times";
  }
  const auto gap = gap_in(record, samples.ranks().size(), use.tasks);
  take_cpus(samples, gap, use);
  const auto peak = peak_memory(record, samples);
  take_memory(record, peak, use);
  take_gpus(record, samples, peak, use);
  use.data_wait = data_wait_of(record);
  judge(use);
  return use;
}

}  // namespace epochcast::efficiency
