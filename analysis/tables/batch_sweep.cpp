// What a batch costs by its size, on each device: how long one takes, how many items a second that
// is, and what of it is launching. A size that did not fit into memory is a row too.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "analysis/groups/batch_runs.hpp"
#include "analysis/groups/excluded_runs.hpp"
#include "analysis/records/record_metrics.hpp"
#include "analysis/records/recorded_step.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/base/core/statistics.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/scaling/batch_cost.hpp"
#include "src/output/table/table.hpp"
#include "src/record/comparable.hpp"
#include "src/record/run/short_names.hpp"

namespace epochcast::analysis::tables {
namespace {

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

std::vector<table::Column> sweep_columns(const std::vector<std::string>& by) {
  std::vector<table::Column> columns{table::text_column("task", "task"),
                                     table::text_column("model", "model"),
                                     table::text_column("allocation", "allocation")};
  for (const auto& name : by) {
    columns.push_back(table::text_column(name, name));
  }
  columns.push_back(table::text_column("device", "device"));
  columns.push_back(table::text_column("source", "source"));
  return columns;
}

table::Row sweep_cells(const BatchSweep& sweep) {
  table::Row row{sweep.task, sweep.model, sweep.allocation};
  row.insert(row.end(), sweep.by.begin(), sweep.by.end());
  row.insert(row.end(), {sweep.device, sweep.source});
  return row;
}

table::Cell milliseconds(const std::vector<double>& seconds, double probability) {
  return seconds.empty() ? table::Cell() : table::Cell(1e3 * quantile(seconds, probability));
}

table::Table batches_of(const std::vector<BatchSweep>& sweeps, const std::vector<std::string>& by) {
  table::Table table{
      .name = "batch_sweep", .title = "Time of a batch by its size", .columns = sweep_columns(by)};
  const std::vector<table::Column> rest{
      table::number_column("batch", "batch", "", 0),
      table::number_column("runs", "runs", "", 0),
      table::number_column("pass_items", "a pass", "items", 0),
      table::number_column("pass_s", "a pass", "s", 3),
      table::number_column("batch_ms", "a batch", "ms", 3),
      table::number_column("p50_ms", "p50", "ms", 3),
      table::number_column("p90_ms", "p90", "ms", 3),
      table::number_column("p99_ms", "p99", "ms", 3),
      table::number_column("items_per_s", "items", "1/s", 1),
      table::number_column("balanced_accuracy_percent", "bal. acc.", "%", 2),
      table::number_column("peak_memory_mib", "peak", "MiB", 0),
      table::text_column("remark", "remark")};
  table.columns.insert(table.columns.end(), rest.begin(), rest.end());
  for (const auto& sweep : sweeps) {
    for (const auto& [batch, runs] : sweep.batches) {
      const auto step_s = runs.step_s();
      auto& row = table.rows.emplace_back(sweep_cells(sweep));
      row.insert(
          row.end(),
          {batch, runs.count,
           runs.pass_samples > 0 ? table::Cell(runs.pass_samples) : table::Cell(),
           table::median_cell(summarize(runs.passes_s)),
           step_s ? table::Cell(1e3 * *step_s) : table::Cell(), milliseconds(runs.single_s, 0.5),
           milliseconds(runs.single_s, 0.9), milliseconds(runs.single_s, 0.99),
           step_s && !runs.cold ? table::Cell(runs.samples / *step_s) : table::Cell(),
           table::median_cell(summarize(runs.balanced)),
           runs.peak_memory_bytes > 0 ? table::Cell(runs.peak_memory_bytes / mib) : table::Cell(),
           runs.remark()});
    }
  }
  table.notes.emplace_back(
      "a pass: its items, and its time without evaluation, the median over runs and passes");
  table.notes.emplace_back(
      "batch time: from the start of a step to the start of the next, after the run's first step "
      "and "
      "the warm-up; the median of the runs' means; p50, p90, p99: of all their steps");
  table.notes.emplace_back(
      "bal. acc.: balanced accuracy after the last pass, of a training on held-out data; peak: "
      "memory held at once by the rank that held most, on a GPU of the device, on a CPU of the "
      "whole process");
  table.plot = table::Plot{
      .x = "batch", .y = {"items_per_s"}, .lines_by = table::keys_of(sweep_columns(by))};
  return table;
}

/// The fitted time; empty if the fit misses a size by too much.
table::Row law_cells(const forecast::BatchCost& cost, double error) {
  table::Row row{table::Cell(), table::Cell(), 100 * error, table::Cell()};
  if (error <= most_error) {
    row = {1e3 * cost.launch_s, 1e3 * cost.item_s, 100 * error,
           table::cell_of(cost.efficient_batch())};
  }
  return row;
}

table::Table costs_of(const std::vector<BatchSweep>& sweeps, const std::vector<std::string>& by) {
  table::Table table{
      .name = "batch_cost", .title = "T(b) = launch + b x item", .columns = sweep_columns(by)};
  const std::vector<table::Column> rest{
      table::number_column("sizes", "sizes", "", 0),
      table::number_column("launch_ms", "launch", "ms", 3),
      table::number_column("item_ms", "an item", "ms", 4),
      table::number_column("error_percent", "largest error", "%", 1),
      table::number_column("efficient_batch", "90 % from", "", 0),
      table::number_column("best_batch", "best seen", "", 0)};
  table.columns.insert(table.columns.end(), rest.begin(), rest.end());
  bool some_fail = false;
  for (const auto& sweep : sweeps) {
    std::vector<forecast::BatchTime> times;
    for (const auto& [batch, runs] : sweep.batches) {
      if (const auto step_s = runs.step_s(); step_s && !runs.cold) {
        times.push_back({batch, *step_s});
      }
    }
    if (const auto cost = forecast::batch_cost(times);
        cost && times.size() > 2) {  // two always fit
      const auto best = std::ranges::max(
          times, {}, [](const forecast::BatchTime& time) { return time.batch / time.step_s; });
      const auto error = forecast::largest_error(*cost, times);
      auto& row = table.rows.emplace_back(sweep_cells(sweep));
      row.emplace_back(static_cast<double>(times.size()));
      const auto law = law_cells(*cost, error);
      row.insert(row.end(), law.begin(), law.end());
      row.emplace_back(best.batch);
      some_fail = some_fail || error > most_error;
    }
  }
  if (!table.rows.empty()) {
    table.notes.emplace_back(
        "90 % from: the smallest batch with nine tenths of the throughput that none exceeds; "
        "best seen: the size with the most items a second");
  }
  if (some_fail) {
    table.notes.push_back(fmt::format(
        "launch, item and 90 % from are blank if the fit T(b) misses a size by more than "
        "{:g} %: the times do not follow this law",
        100 * most_error));
  }
  return table;
}

void name_models(std::vector<BatchSweep>& sweeps, const std::vector<std::string>& by) {
  std::vector<run::NamedWork> works;
  for (const auto& sweep : sweeps) {
    works.push_back({sweep.task + " " + sweep.source, sweep.parameters});
  }
  std::set<std::string, std::less<>> shown(by.begin(), by.end());
  shown.insert("task");
  const auto names = run::short_names(works, shown);
  for (std::size_t i = 0; i < sweeps.size(); ++i) {
    sweeps[i].model = names[i];
  }
}

std::vector<table::Table> make(const std::vector<LoadedRecord>& records,
                               const TableOptions& options) {
  for (const auto& name : options.by) {
    require_attribute(records, name);
  }
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

}  // namespace

TableSpec batch_sweep() {
  return {.summary = "time per batch by batch size: launch cost, cost per item, best size",
          .make = make,
          .answer = {4, "batch", 2}};
}

}  // namespace epochcast::analysis::tables
