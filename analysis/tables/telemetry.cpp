// What the machine did during each run and each epoch, and which runs others disturbed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/records/record_metrics.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/measure/telemetry/disturbance.hpp"
#include "src/measure/telemetry/usage.hpp"
#include "src/output/table/table.hpp"

namespace epochcast::analysis::tables {
namespace {

using record::EpochUsage;

/// The usage of the epochs. A run that was killed before its first epoch ended has none; its
/// samples cover the time up to the last one.
std::vector<EpochUsage> usage_rows(const record::Record& record) {
  if (!record.usage.empty() || record.telemetry.empty()) {
    return record.usage;
  }
  telemetry::TimeSpan all{-1, record.telemetry.front().end_s, 0};
  for (const auto& sample : record.telemetry) {
    all.start_s = std::min(all.start_s, sample.end_s - sample.duration_s);
    all.end_s = std::max(all.end_s, sample.end_s);
  }
  return telemetry::usage_of(all, record.machines, record.telemetry, record.telemetry_gpus);
}

table::Cell known_cell(double value) {
  return std::isnan(value) ? table::Cell() : table::Cell(value);
}

/// One amount, in percent of the time of the rows or of their CPUs.
template <class Per>
table::Cell percent_cell(const std::vector<EpochUsage>& rows, double EpochUsage::*field, Per per) {
  double sum = 0;
  double whole = 0;
  for (const auto& row : rows) {
    sum += row.*field;
    whole += per(row);
  }
  return whole > 0 ? known_cell(100 * sum / whole) : table::Cell();
}

double time_of(const EpochUsage& row) {
  return row.covered_s;
}
double cpu_time_of(const EpochUsage& row) {
  return row.covered_s * static_cast<double>(row.cpus);
}

/// A share of the rows, as the mean by time, in percent.
table::Cell mean_percent(const std::vector<EpochUsage>& rows, double EpochUsage::*field) {
  double sum = 0;
  double time_s = 0;
  for (const auto& row : rows) {
    sum += row.*field * row.covered_s;
    time_s += row.covered_s;
  }
  return time_s > 0 ? known_cell(100 * sum / time_s) : table::Cell();
}

table::Cell most_gib(const std::vector<EpochUsage>& rows) {
  constexpr double gibibyte = 1073741824;
  double most = record::not_measured;
  for (const auto& row : rows) {
    most = std::fmax(most, row.resident_bytes);
  }
  return known_cell(most / gibibyte);
}

table::Cell sum_cell(const std::vector<EpochUsage>& rows, double EpochUsage::*field) {
  double sum = 0;
  for (const auto& row : rows) {
    sum += row.*field;
  }
  return rows.empty() ? table::Cell() : known_cell(sum);
}

/// What both tables show of usage.
std::vector<table::Column> usage_columns() {
  return {table::number_column("cpus", "CPUs", "", 0),
          table::number_column("own_percent", "own", "%", 1),
          table::number_column("others_percent", "others", "%", 1),
          table::number_column("steal_percent", "steal", "%", 1),
          table::number_column("throttled_percent", "throttled", "%", 1),
          table::number_column("stopped_s", "stopped", "s", 1),
          table::number_column("cpu_wait_percent", "CPU wait", "%", 1),
          table::number_column("memory_wait_percent", "memory wait", "%", 1),
          table::number_column("disk_wait_percent", "disk wait", "%", 1),
          table::number_column("major_faults", "major faults", "", 0),
          table::number_column("resident_gib", "resident", "GiB", 2),
          table::number_column("node_percent", "node busy", "%", 1),
          table::number_column("gpu_percent", "GPU", "%", 1)};
}

table::Row usage_cells(const std::vector<EpochUsage>& rows) {
  std::int64_t cpus = 0;
  for (const auto& row : rows) {
    cpus = std::max(cpus, row.cpus);
  }
  return {rows.empty() ? table::Cell() : table::Cell(static_cast<double>(cpus)),
          percent_cell(rows, &EpochUsage::own_cpu_s, cpu_time_of),
          percent_cell(rows, &EpochUsage::other_cpu_s, cpu_time_of),
          percent_cell(rows, &EpochUsage::steal_s, cpu_time_of),
          percent_cell(rows, &EpochUsage::throttled_s, cpu_time_of),
          sum_cell(rows, &EpochUsage::stopped_s),
          percent_cell(rows, &EpochUsage::cpu_wait_s, time_of),
          percent_cell(rows, &EpochUsage::memory_stall_s, time_of),
          percent_cell(rows, &EpochUsage::io_stall_s, time_of),
          sum_cell(rows, &EpochUsage::major_faults),
          most_gib(rows),
          mean_percent(rows, &EpochUsage::node_use),
          mean_percent(rows, &EpochUsage::gpu_use)};
}

void append(table::Row& row, const table::Row& cells) {
  row.insert(row.end(), cells.begin(), cells.end());
}

table::Table runs_table(const std::vector<LoadedRecord>& records, const TableOptions& options) {
  auto columns = std::vector{table::text_column("allocation", "allocation"),
                             table::number_column("epochs", "epochs", "", 0)};
  const auto more = usage_columns();
  columns.insert(columns.end(), more.begin(), more.end());
  columns.push_back(table::text_column("disturbed", "disturbed"));
  table::Table table{
      .name = "telemetry",
      .title = "What the machine did",
      .columns = table::columns_by(table::text_column("record", "record"), options.by, columns)};
  bool all = true;
  for (const auto& loaded : records) {
    const auto usage = usage_rows(loaded.record);
    all = all && !usage.empty();
    const auto ended = std::ranges::count_if(usage, [](const auto& row) { return row.epoch >= 0; });
    auto row = table::row_by(
        loaded.path, attributes(loaded.record, options.by),
        {loaded.record.header.allocation.str(),
         ended > 0 ? table::Cell(static_cast<double>(usage.back().epoch - usage.front().epoch + 1))
                   : table::Cell()});
    append(row, usage_cells(usage));
    const auto found = telemetry::find_disturbance(usage);
    row.push_back(found ? table::Cell(found->text) : table::Cell());
    table.rows.push_back(std::move(row));
  }
  table::add_note(
      table,
      fmt::format("in % of the CPU time of the CPUs that the run may use; waits and GPU: in % "
                  "of the time; disturbed: an epoch that lost more than {:g} % to one cause, "
                  "in a run that lost more than {:g} %",
                  100 * telemetry::epoch_limit, 100 * telemetry::run_limit));
  if (!all) {
    table::add_note(table,
                    "empty rows: the record has no telemetry (an older record, an imported one, or "
                    "--telemetry=0s)");
  }
  return table;
}

table::Table epochs_table(const std::vector<LoadedRecord>& records) {
  auto columns = std::vector{
      table::text_column("record", "record"), table::number_column("epoch", "epoch", "", 0),
      table::number_column("rank", "rank", "", 0), table::number_column("start_s", "start", "s", 2),
      table::number_column("duration_s", "duration", "s", 2)};
  const auto more = usage_columns();
  columns.insert(columns.end(), more.begin(), more.end());
  columns.push_back(table::number_column("taken_percent", "taken", "%", 1));
  table::Table table{.name = "telemetry_epochs",
                     .title = "What the machine did in each epoch (counted from 1)",
                     .columns = std::move(columns)};
  for (const auto& loaded : records) {
    for (const auto& usage : usage_rows(loaded.record)) {
      table::Row row{
          loaded.path,
          usage.epoch < 0 ? table::Cell() : table::Cell(static_cast<double>(usage.epoch + 1)),
          static_cast<double>(usage.rank), usage.start_s, usage.duration_s};
      append(row, usage_cells({usage}));
      const auto taken = telemetry::most_taken_share(usage);
      row.push_back(taken ? table::Cell(100 * *taken) : table::Cell());
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

std::vector<table::Table> make_telemetry(const std::vector<LoadedRecord>& records,
                                         const TableOptions& options) {
  for (const auto& name : options.by) {
    require_attribute(records, name);
  }
  return {runs_table(records, options), epochs_table(records)};
}

}  // namespace

TableSpec telemetry() {
  return {
      .summary = "what CPUs, memory and GPUs did in each run and epoch; which runs were disturbed",
      .make = make_telemetry,
      .keeps_disturbed = true};
}

}  // namespace epochcast::analysis::tables
