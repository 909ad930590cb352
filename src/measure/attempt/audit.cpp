#include "src/measure/attempt/audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/base/core/text.hpp"

namespace epochcast::attempt {
namespace {

constexpr const char* scheduler = "scheduler";
constexpr const char* hardware = "hardware";

/// Compares the allocations property by property. An empty `got` is unknown and counts as no
/// difference.
class Comparison {
 public:
  void add(const std::string& name, const std::string& asked, const std::string& got, bool differs,
           const char* whose) {
    const bool counts = differs && !got.empty();
    rows_.push_back({name, asked, got, counts ? whose : ""});
    if (counts && whose == scheduler) {
      faults_.push_back(fmt::format("{}: asked {}, got {}", name, asked, got));
    }
  }

  /// Texts that must be equal if a value was requested.
  void same(const std::string& name, const std::string& asked, const std::string& got) {
    add(name, asked, got, !asked.empty() && asked != got, scheduler);
  }

  void fact(const std::string& name, const std::string& got) {
    add(name, "", got, false, hardware);
  }

  bool has(std::string_view name) const {
    return std::ranges::count(rows_, name, [](const auto& row) { return row.name.view(); }) > 0;
  }

  std::vector<record::AllocationRow> rows() && { return std::move(rows_); }
  const std::vector<std::string>& faults() const { return faults_; }

 private:
  std::vector<record::AllocationRow> rows_;
  std::vector<std::string> faults_;
};

std::string count_text(std::int64_t count) {
  return count > 0 ? std::to_string(count) : "";
}

std::string time_text(double seconds) {
  if (std::isinf(seconds)) {
    return "unlimited";
  }
  return seconds > 0 ? format_duration(seconds) : "";
}

/// Whether the counts differ. An exclusive job gets the whole node, so more than requested is not a
/// difference.
bool differs_in_count(std::int64_t asked, std::int64_t got, bool exclusive) {
  return exclusive ? got < asked : got != asked;
}

void compare_with_job(const run::Allocation& asked, const slurm::JobInfo& job,
                      Comparison& comparison) {
  const bool exclusive = asked.exclusive;
  const auto tasks = run::tasks_of(asked);
  const auto partitions = run::partitions_of(asked);
  comparison.add("partition", asked.partition, job.partition,
                 !partitions.empty() && !std::ranges::count(partitions, job.partition), scheduler);
  comparison.add("nodes", to_text(asked.nodes), count_text(job.nodes), asked.nodes != job.nodes,
                 scheduler);
  comparison.add("tasks", to_text(tasks), count_text(job.tasks), tasks != job.tasks, scheduler);
  comparison.add("cpus", to_text(asked.cpus), count_text(job.cpus_per_task),
                 asked.cpus != job.cpus_per_task, scheduler);
  // Slurm allocates whole cores, so a few more CPUs than requested are normal.
  comparison.add("cpus_of_job", to_text(asked.cpus * tasks), count_text(job.cpus),
                 job.cpus < asked.cpus * tasks, scheduler);
  comparison.add("gpus", to_text(run::gpus_of(asked)), to_text(job.gpus),
                 differs_in_count(run::gpus_of(asked), job.gpus, exclusive), scheduler);
  // Not every site has GPU types; without one, the constraint or the partition selects the GPU.
  comparison.add("gpu", asked.gpu, job.gpu, !asked.gpu.empty() && asked.gpu != job.gpu, scheduler);
  comparison.add("memory", asked.memory.value > 0 ? to_text(asked.memory) : "",
                 job.memory_bytes > 0 ? to_text(Bytes{job.memory_bytes}) : "",
                 job.memory_bytes < asked.memory.value, scheduler);
  // The time limit does not change how fast a job runs, and `plan` lowers it.
  comparison.add("time", time_text(asked.time.value), time_text(job.time_limit_s), false,
                 scheduler);
  comparison.same("account", asked.account, job.account);
  comparison.same("qos", asked.qos, job.qos);
  comparison.same("constraint", asked.constraint, job.features);
  comparison.add("exclusive", to_text(asked.exclusive), to_text(job.exclusive),
                 asked.exclusive && !job.exclusive, scheduler);
}

/// Lists what is left of the request: keys that Slurm does not report, or all without its answer.
void list_asked(const run::Allocation& asked, Comparison& comparison) {
  for_each_field<run::Allocation>([&](const auto& field) {
    if (!comparison.has(field.name) && asked.*field.member != run::Allocation{}.*field.member) {
      comparison.add(std::string(field.name), to_text(asked.*field.member), "", false, scheduler);
    }
  });
}

void compare_with_machine(const run::Allocation& asked, const AuditFacts& facts,
                          Comparison& comparison) {
  const auto& machine = facts.machine;
  comparison.add("cpus_allowed", to_text(asked.cpus), count_text(machine.cpus_allowed_count),
                 machine.cpus_allowed_count < asked.cpus, hardware);
  comparison.add("node_memory", asked.memory.value > 0 ? to_text(asked.memory) : "",
                 machine.memory_bytes > 0 ? to_text(Bytes{machine.memory_bytes}) : "",
                 machine.memory_bytes < asked.memory.value, hardware);
  if (const auto gpus = run::gpus_of_task(asked); gpus > 0) {
    comparison.add("gpus_present", to_text(gpus), to_text(facts.gpus_present),
                   facts.gpus_present < gpus, hardware);
  }
  if (!asked.smt.empty()) {
    comparison.add("node_smt", asked.smt, machine.threads_per_core > 1 ? "on" : "off",
                   asked.smt == "on" && machine.threads_per_core == 1, hardware);
  }
}

/// Of a job by hand. Its tasks stay out: many ask for tasks where they mean CPUs.
void list_granted(const slurm::JobInfo& job, Comparison& comparison) {
  comparison.fact("nodes", count_text(job.nodes));
  comparison.fact("cpus_of_job", count_text(job.cpus));
  comparison.fact("gpus", to_text(job.gpus));
  comparison.fact("memory", job.memory_bytes > 0 ? to_text(Bytes{job.memory_bytes}) : "");
  comparison.fact("time", time_text(job.time_limit_s));
}

void list_prices(const run::Prices& prices, Comparison& comparison) {
  for_each_field<run::Prices>([&](const auto& field) {
    if (const auto text = to_text(prices.*field.member); !text.empty()) {
      comparison.add("price_" + std::string(field.name), text, "", false, scheduler);
    }
  });
}

}  // namespace

Audit audit(const AuditFacts& facts) {
  Comparison comparison;
  const auto asked = facts.asked.value_or(run::Allocation{});
  if (facts.asked && facts.job) {
    compare_with_job(asked, *facts.job, comparison);
  }
  if (facts.asked) {
    list_asked(asked, comparison);
    compare_with_machine(asked, facts, comparison);
  }
  list_prices(facts.prices, comparison);
  if (facts.job && !facts.asked) {
    list_granted(*facts.job, comparison);
  }
  if (facts.job) {
    comparison.fact("node_list", facts.job->node_list);
    comparison.fact("submitted_at", facts.job->submitted_at);
    comparison.fact("started_at", facts.job->started_at);
  }
  auto faults = comparison.faults();
  if (facts.job && facts.job->points_at_once > 1) {
    comparison.fact("points_at_once", to_text(facts.job->points_at_once));
    if (facts.job->shares_gpu) {
      faults.push_back(fmt::format("gpu: shared by {} runs at a time", facts.job->points_at_once));
    }
  }
  if (facts.restart > 0) {
    faults.insert(faults.begin(), "requeued: another node and time");
  }
  return {std::move(comparison).rows(), join(faults, "; ")};
}

}  // namespace epochcast::attempt
