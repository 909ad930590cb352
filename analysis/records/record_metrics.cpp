#include "analysis/records/record_metrics.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "analysis/records/best_metric.hpp"
#include "analysis/records/recorded_step.hpp"
#include "analysis/records/records.hpp"
#include "src/base/core/text.hpp"
#include "src/record/outcome.hpp"

namespace epochcast::analysis {
namespace {

std::int64_t sum_over_ranks(const record::Record& record, std::int64_t record::Machine::*field) {
  return std::accumulate(
      record.machines.begin(), record.machines.end(), std::int64_t{0},
      [&](std::int64_t sum, const record::Machine& machine) { return sum + machine.*field; });
}

/// After each epoch; not those of evaluations within one.
std::map<std::int64_t, double> accuracies(const record::Record& record) {
  std::map<std::int64_t, double> by_epoch;
  const auto name = held_out_name(record, "accuracy");
  for (const auto& metric : record.metrics) {
    if (metric.name.view() == name && metric.iteration == 0) {
      by_epoch[metric.epoch] = metric.value;
    }
  }
  return by_epoch;
}

}  // namespace

std::optional<double> total_training_s(const record::Record& record) {
  if (const auto stated_s = forecast::stated_total_s(record)) {
    return stated_s;
  }
  double total_s = 0;
  std::set<std::int64_t> seen;
  for (const auto& epoch : record.epochs) {
    total_s += epoch.wall_s + epoch.evaluate_s;
    seen.insert(epoch.epoch);
  }
  const auto target = target_of(record);
  const auto end = target ? reached(record, *target) : std::nullopt;
  const auto wanted =
      end && end->epochs == std::ssize(seen) ? end->epochs : record::epochs_of(record);
  const bool whole = !seen.empty() && std::ssize(seen) == wanted;
  return whole ? std::optional(total_s) : std::nullopt;
}

double length_s(const record::Record& record, const record::Epoch& epoch) {
  constexpr double rounding_s = 1e-6;
  double length_s = epoch.wall_s;
  for (const auto& span : record.spans) {  // in the order of their starts
    const bool interrupts = span.epoch == epoch.epoch && span.name.view().starts_with("evaluate") &&
                            span.start_s < epoch.start_s + length_s - rounding_s;
    length_s += interrupts ? span.duration_s : 0;
  }
  return length_s;
}

double samples_of_training(const record::Record& record) {
  const bool printed = forecast::stated_total_s(record).has_value();
  std::int64_t samples = 0;
  if (printed && !record.work.empty()) {
    samples = record::epochs_of(record) * record.work.front().samples_per_epoch;
  }
  for (const auto& epoch : record.epochs) {
    samples += printed ? 0 : epoch.samples;
  }
  return static_cast<double>(samples);
}

std::optional<double> last_metric(const record::Record& record, std::string_view name) {
  const record::Metric* last = nullptr;
  for (const auto& metric : record.metrics) {
    if (metric.name.view() == name && (last == nullptr || metric.epoch >= last->epoch)) {
      last = &metric;
    }
  }
  return last == nullptr ? std::nullopt : std::optional(last->value);
}

std::optional<double> peak_memory_bytes(const record::Record& record) {
  const auto of_gpu = last_metric(record, "peak_gpu_memory_bytes");
  return of_gpu ? of_gpu : last_metric(record, "peak_memory_bytes");
}

std::optional<double> last_examples_per_s(const record::Record& record) {
  if (const auto published = last_metric(record, "examples_per_s")) {
    return published;
  }
  const auto last = std::max_element(
      record.epochs.begin(), record.epochs.end(),
      [](const record::Epoch& a, const record::Epoch& b) { return a.epoch < b.epoch; });
  if (last == record.epochs.end() || !(last->wall_s > 0)) {
    return std::nullopt;
  }
  return static_cast<double>(last->samples) / last->wall_s;
}

std::optional<double> steady_samples_per_s(const record::Record& record) {
  double samples = 0;
  double wall_s = 0;
  const bool skips_first = record.epochs.size() > 1;
  for (const auto& epoch : record.epochs) {
    if (!skips_first || &epoch != &record.epochs.front()) {
      samples += static_cast<double>(epoch.samples);
      wall_s += epoch.wall_s;
    }
  }
  if (samples > 0 && wall_s > 0) {
    return samples / wall_s;
  }
  const auto step = recorded_step(record);
  const double step_s = step ? step->measured.time_s : 0;
  return step_s > 0 && samples_per_step(record) > 0
             ? std::optional(samples_per_step(record) / step_s)
             : std::nullopt;
}

std::string hardware_of(const record::Record& record) {
  std::set<std::string> models;
  for (const auto& machine : record.machines) {
    models.insert(used_gpu(record) ? machine.gpu_name.str() : machine.cpu_model.str());
  }
  return join({models.begin(), models.end()}, ", ");
}

bool ran_out_of_memory(const record::Record& record) {
  return record::cause_of(record.header) == run::FailureCause::out_of_memory;
}

std::int64_t cpus_asked(const record::Record& record) {
  const auto count = [&](std::string_view name) { return parse_integer(asked(record, name)); };
  return count("cpus").value_or(0) * count("nodes").value_or(1) *
         count("tasks_per_node").value_or(1);
}

std::int64_t cpus_of(const record::Record& record) {
  for (const auto field : {&record::Machine::threads_used, &record::Machine::cpus_allowed_count}) {
    if (const auto cpus = sum_over_ranks(record, field); cpus > 0) {
      return cpus;
    }
  }
  return cpus_asked(record);
}

std::int64_t ranks_of(const record::Record& record) {
  return std::max<std::int64_t>(1, std::ssize(record.machines));
}

std::int64_t nodes_of(const record::Record& record) {
  for (const auto& row : record.allocation) {
    if (row.name.view() == "nodes") {
      const auto nodes = parse_integer(row.got.view().empty() ? row.asked.view() : row.got.view());
      return std::max<std::int64_t>(1, nodes.value_or(1));
    }
  }
  return std::max<std::int64_t>(1, machines_of(record));
}

std::int64_t machines_of(const record::Record& record) {
  std::set<std::string> machines;
  for (const auto& machine : record.machines) {
    const auto name = machine.boot_id.view().empty() ? machine.host.str() : machine.boot_id.str();
    if (!name.empty()) {
      machines.insert(name);
    }
  }
  return std::ssize(machines);
}

std::int64_t samples_of_full_step(const record::Record& record) {
  std::int64_t most = 0;
  for (const auto& iteration : record.iterations) {
    most = std::max(most, iteration.samples);
  }
  return most;
}

double samples_per_step(const record::Record& record) {
  auto of_rank = samples_of_full_step(record);
  if (of_rank == 0) {
    of_rank = parse_integer(record::parameter(record, "batch")).value_or(0);
  }
  return static_cast<double>(of_rank * ranks_of(record));
}

std::int64_t gpus_of(const record::Record& record) {
  return std::count_if(
      record.machines.begin(), record.machines.end(),
      [](const record::Machine& machine) { return !machine.gpu_name.view().empty(); });
}

std::optional<AccuracyTarget> target_of(const record::Record& record) {
  const auto accuracy = parse_double(record::parameter(record, "target_accuracy"));
  if (!accuracy || !(*accuracy > 0)) {
    return std::nullopt;
  }
  return AccuracyTarget{*accuracy,
                        parse_integer(record::parameter(record, "patience")).value_or(1)};
}

std::optional<Reached> reached(const record::Record& record, const AccuracyTarget& target) {
  const auto by_epoch = accuracies(record);
  Reached so_far;
  std::int64_t in_a_row = 0;
  for (const auto& epoch : record.epochs) {
    const auto accuracy = by_epoch.find(epoch.epoch);
    if (epoch.epoch != so_far.epochs || accuracy == by_epoch.end()) {
      return std::nullopt;  // a hole: what stands after it is not known to be the first time
    }
    ++so_far.epochs;
    so_far.training_s += epoch.wall_s;
    so_far.wall_s = epoch.start_s + epoch.wall_s + epoch.evaluate_s - record.epochs.front().start_s;
    in_a_row = accuracy->second >= target.accuracy ? in_a_row + 1 : 0;
    if (in_a_row == target.patience) {
      return so_far;
    }
  }
  return std::nullopt;
}

}  // namespace epochcast::analysis
