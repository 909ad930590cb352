// What a batch costs by its size, on each device: how long one takes, how many items a second that
// is, and what of it is launching. A size that did not fit into memory is a row too.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/groups/undisturbed.hpp"
#include "analysis/records/record_metrics.hpp"
#include "analysis/records/recorded_step.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/statistics.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/scaling/batch_cost.hpp"
#include "src/output/table/make_table.hpp"
#include "src/record/comparable.hpp"
#include "src/record/record.hpp"
#include "src/record/run/short_names.hpp"

namespace epochcast::analysis::tables {
namespace batch_sweep_table {

/// All runs of one size.
struct BatchRuns {
  double count = 0;
  double samples = 0;            ///< Of a step, of all ranks together.
  double pass_samples = 0;       ///< Of a pass over the data; 0: not known.
  bool out_of_memory = false;    ///< One of them.
  bool cold = false;             ///< One of them took a single step, its first.
  std::vector<double> single_s;  ///< Their steady steps, where single ones were recorded.
  std::vector<double> means_s;   ///< The mean step of each that had memory enough.
  std::vector<double> passes_s;  ///< Each pass of each of them.
  std::vector<double> balanced;  ///< The balanced accuracy of each that was scored.
  double peak_memory_bytes = 0;  ///< Of the one that held most; 0: not recorded.

  /// Takes in a run that has a recorded_step, or ran out of memory.
  void add(const record::Record& record);
  /// The median of the runs' means.
  std::optional<double> step_s() const;
  /// "out of memory", "only a first step" or "".
  std::string remark() const;
};

/// The passes that ended; where none was recorded, the mean of those that the total is of.
void add_passes(BatchRuns& runs, const record::Record& record) {
  for (const auto& epoch : record.epochs) {
    runs.passes_s.push_back(epoch.wall_s);
    runs.pass_samples = std::max(runs.pass_samples, static_cast<double>(epoch.samples));
  }
  const auto total_s = total_training_s(record);
  if (record.epochs.empty() && total_s && record::epochs_of(record) > 0) {
    runs.passes_s.push_back(*total_s / static_cast<double>(record::epochs_of(record)));
  }
  if (runs.pass_samples == 0 && !record.work.empty()) {
    runs.pass_samples = static_cast<double>(record.work.front().samples_per_epoch);
  }
}

void BatchRuns::add(const record::Record& record) {
  samples = count == 0 ? samples_per_step(record) : samples;
  ++count;
  if (ran_out_of_memory(record)) {
    out_of_memory = true;
    return;
  }
  peak_memory_bytes =
      std::max(peak_memory_bytes, epochcast::analysis::peak_memory_bytes(record).value_or(0));
  const auto steady_s = steady_steps_s(record);
  single_s.insert(single_s.end(), steady_s.begin(), steady_s.end());
  means_s.push_back(mean(steady_s).value_or(recorded_step(record)->measured.time_s));
  cold = cold || (steady_s.empty() && !record.iterations.empty());
  add_passes(*this, record);
  const auto score =
      last_metric(record, infers(record) ? "balanced_accuracy" : "val_balanced_accuracy");
  if (score) {
    balanced.push_back(100 * *score);
  }
}

std::optional<double> BatchRuns::step_s() const {
  const auto summary = summarize(means_s);
  return summary ? std::optional(summary->median) : std::nullopt;
}

std::string BatchRuns::remark() const {
  if (out_of_memory) {
    return "out of memory";
  }
  return cold ? "only a first step" : "";
}

constexpr double mib = 1024 * 1024;
/// A law that misses a size by more does not determine launches and items.
constexpr double most_error = 0.25;

/// The runs of a model on an allocation, by what a rank takes in a step.
struct BatchSweep {
  std::vector<std::string> by;
  std::string task;
  std::string allocation;
  std::string device;
  std::string source;
  run::ParameterValues parameters;  ///< But for the batch, length, repeat and place of a run.
  std::string model = {};  ///< Distinguishes its parameters from the others' (short_names).
  std::map<double, BatchRuns> batches = {};

  auto key() const { return std::tie(by, task, allocation, device, source, parameters); }
};

BatchSweep sweep_of_one(const record::Record& record, const std::vector<std::string>& by) {
  auto free = record::names_of(
      {run::ParameterRole::length, run::ParameterRole::repeat, run::ParameterRole::place});
  free.insert("batch");
  return {.by = attributes(record, by),
          .task = task_text(record),
          .allocation = record.header.allocation.str(),
          .device = device_of(record),
          .source = record.header.source.str(),
          .parameters = effective_parameters(record, std::move(free))};
}

table::Columns<BatchSweep> sweep_columns(const std::vector<std::string>& by) {
  table::Columns<BatchSweep> columns{{"task", "task", &BatchSweep::task},
                                     {"model", "model", &BatchSweep::model},
                                     {"allocation", "allocation", &BatchSweep::allocation}};
  return columns.add_each(by, &BatchSweep::by)
      .add({{"device", "device", &BatchSweep::device}, {"source", "source", &BatchSweep::source}});
}

/// The runs at one size of a sweep.
struct SizeRow {
  const BatchSweep* sweep;
  double batch;
  BatchRuns runs;
};

table::Columns<BatchRuns> size_columns() {
  const auto milliseconds = [](double probability) {
    return [probability](const BatchRuns& runs) {
      return runs.single_s.empty() ? table::Cell() : 1e3 * quantile(runs.single_s, probability);
    };
  };
  return {{"runs", "runs", "", 0, &BatchRuns::count},
          {"pass_items", "a pass", "items", 0,
           [](const auto& runs) { return table::positive_cell(runs.pass_samples); }},
          {"pass_s", "a pass", "s", 3,
           [](const auto& runs) { return table::median_cell(summarize(runs.passes_s)); }},
          {"batch_ms", "a batch", "ms", 3,
           [](const auto& runs) {
             const auto step_s = runs.step_s();
             return step_s ? table::Cell(1e3 * *step_s) : table::Cell();
           }},
          {"p50_ms", "p50", "ms", 3, milliseconds(0.5)},
          {"p90_ms", "p90", "ms", 3, milliseconds(0.9)},
          {"p99_ms", "p99", "ms", 3, milliseconds(0.99)},
          {"items_per_s", "items", "1/s", 1,
           [](const auto& runs) {
             const auto step_s = runs.step_s();
             return step_s && !runs.cold ? table::Cell(runs.samples / *step_s) : table::Cell();
           }},
          {"balanced_accuracy_percent", "bal. acc.", "%", 2,
           [](const auto& runs) { return table::median_cell(summarize(runs.balanced)); }},
          {"peak_memory_mib", "peak", "MiB", 0,
           [](const auto& runs) { return table::positive_cell(runs.peak_memory_bytes / mib); }},
          {"remark", "remark", &BatchRuns::remark}};
}

table::Table batches_of(const std::vector<BatchSweep>& sweeps, const std::vector<std::string>& by) {
  std::vector<SizeRow> rows;
  for (const auto& sweep : sweeps) {
    for (const auto& [batch, runs] : sweep.batches) {
      rows.push_back({&sweep, batch, runs});
    }
  }
  table::Columns<SizeRow> columns;
  columns.add(sweep_columns(by), &SizeRow::sweep)
      .add({"batch", "batch", "", 0, &SizeRow::batch})
      .add(size_columns(), &SizeRow::runs);
  auto table = table::make_table("batch_sweep", "Time of a batch by its size", columns, rows);
  table.notes = {
      "a pass: its items, and its time without evaluation, the median over runs and passes",
      "batch time: from the start of a step to the start of the next, after the run's first step "
      "and the warm-up; the median of the runs' means; p50, p90, p99: of all their steps",
      "bal. acc.: balanced accuracy after the last pass, of a training on held-out data; peak: "
      "memory held at once by the rank that held most, on a GPU of the device, on a CPU of the "
      "whole process"};
  return table;
}

/// The law of a sweep's times. It has no launch and items where it misses a size by too much.
struct SweepCost {
  const BatchSweep* sweep;
  std::size_t sizes;
  double error_percent;
  double best_batch;
  std::optional<double> launch_ms = {};
  std::optional<double> item_ms = {};
  std::optional<double> efficient_batch = {};

  bool fits() const { return launch_ms.has_value(); }
};

/// Nothing where there are too few sizes: two always fit.
std::optional<SweepCost> cost_of(const BatchSweep& sweep) {
  std::vector<forecast::BatchTime> times;
  for (const auto& [batch, runs] : sweep.batches) {
    if (const auto step_s = runs.step_s(); step_s && !runs.cold) {
      times.push_back({batch, *step_s});
    }
  }
  const auto law = forecast::batch_cost(times);
  if (!law || times.size() < 3) {
    return std::nullopt;
  }
  const auto best = std::ranges::max(
      times, {}, [](const forecast::BatchTime& time) { return time.batch / time.step_s; });
  const auto error = forecast::largest_error(*law, times);
  SweepCost cost{&sweep, times.size(), 100 * error, best.batch};
  if (error <= most_error) {
    cost.launch_ms = 1e3 * law->launch_s;
    cost.item_ms = 1e3 * law->item_s;
    cost.efficient_batch = law->efficient_batch();
  }
  return cost;
}

table::Table costs_of(const std::vector<BatchSweep>& sweeps, const std::vector<std::string>& by) {
  const auto rows = known_values(sweeps, cost_of);
  table::Columns<SweepCost> columns;
  columns.add(sweep_columns(by), &SweepCost::sweep)
      .add({{"sizes", "sizes", "", 0, &SweepCost::sizes},
            {"launch_ms", "launch", "ms", 3, &SweepCost::launch_ms},
            {"item_ms", "an item", "ms", 4, &SweepCost::item_ms},
            {"error_percent", "largest error", "%", 1, &SweepCost::error_percent},
            {"efficient_batch", "90 % from", "", 0, &SweepCost::efficient_batch},
            {"best_batch", "best seen", "", 0, &SweepCost::best_batch}});
  auto table = table::make_table("batch_cost", "T(b) = launch + b x item", columns, rows);
  if (!rows.empty()) {
    table.notes.emplace_back(
        "90 % from: the smallest batch with nine tenths of the throughput that none exceeds; "
        "best seen: the size with the most items a second");
  }
  if (!std::ranges::all_of(rows, &SweepCost::fits)) {
    table.notes.push_back(fmt::format(
        "launch, item and 90 % from are blank if the fit T(b) misses a size by more than "
        "{:g} %: the times do not follow this law",
        100 * most_error));
  }
  return table;
}

void name_models(std::vector<BatchSweep>& sweeps, const std::vector<std::string>& by) {
  const auto works = mapped(sweeps, [](const auto& sweep) {
    return run::NamedWork{sweep.task + " " + sweep.source, sweep.parameters};
  });
  std::set<std::string, std::less<>> shown(by.begin(), by.end());
  shown.insert("task");
  const auto names = run::short_names(works, shown);
  for (std::size_t i = 0; i < sweeps.size(); ++i) {
    sweeps[i].model = names[i];
  }
}

std::vector<table::Table> make(const std::vector<LoadedRecord>& records,
                               const TableOptions& options) {
  require_attributes(records, options.by);
  std::vector<BatchSweep> sweeps;
  std::vector<ExcludedRun> excluded;
  for (const auto& loaded : records) {
    if (const auto why = fault_of_step(loaded.record); !why.empty()) {
      excluded.push_back({loaded.path, why});
      continue;
    }
    auto sweep = sweep_of_one(loaded.record, options.by);
    auto same = std::ranges::find_if(
        sweeps, [&](const BatchSweep& other) { return other.key() == sweep.key(); });
    if (same == sweeps.end()) {
      same = sweeps.insert(same, std::move(sweep));
    }
    same->batches[*parse_double(record::parameter(loaded.record, "batch"))].add(loaded.record);
  }
  name_models(sweeps, options.by);
  std::ranges::stable_sort(sweeps, {}, [](const BatchSweep& sweep) {
    return std::tuple(sweep.task, natural_key(sweep.model), natural_keys(sweep.by));
  });
  auto costs = costs_of(sweeps, options.by);
  return not_empty({batches_of(sweeps, options.by), std::move(costs), excluded_table(excluded)});
}

}  // namespace batch_sweep_table

TableSpec batch_sweep() {
  return {.summary = "time per batch by batch size: launch cost, cost per item, best size",
          .make = batch_sweep_table::make,
          .answer = {4, "batch", 2}};
}

}  // namespace epochcast::analysis::tables
