// What the machine did during each run and each epoch, and which runs others disturbed.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/records/record_metrics.hpp"
#include "analysis/records/varied.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/quantity.hpp"
#include "src/measure/telemetry/disturbance.hpp"
#include "src/measure/telemetry/usage.hpp"

namespace epochcast::analysis::tables {
namespace telemetry_table {

using record::EpochUsage;
using Usage = std::vector<EpochUsage>;

/// The usage of the epochs. A run that was killed before its first epoch ended has none; its
/// samples cover the time up to the last one.
Usage usage_rows(const record::Record& record) {
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

/// One amount, in percent of the time of the rows or of their CPUs.
template <class Per>
table::Cell percent_cell(const Usage& rows, double EpochUsage::*field, Per per) {
  double sum = 0;
  double whole = 0;
  for (const auto& row : rows) {
    sum += row.*field;
    whole += per(row);
  }
  return whole > 0 ? table::known_cell(100 * sum / whole) : table::Cell();
}

double time_of(const EpochUsage& row) {
  return row.covered_s;
}
double cpu_time_of(const EpochUsage& row) {
  return row.covered_s * static_cast<double>(row.cpus);
}

/// A share of the rows, as the mean by time, in percent.
table::Cell mean_percent(const Usage& rows, double EpochUsage::*field) {
  double sum = 0;
  double time_s = 0;
  for (const auto& row : rows) {
    sum += row.*field * row.covered_s;
    time_s += row.covered_s;
  }
  return time_s > 0 ? table::known_cell(100 * sum / time_s) : table::Cell();
}

table::Cell most_gib(const Usage& rows) {
  double most = record::not_measured;
  for (const auto& row : rows) {
    most = std::fmax(most, row.resident_bytes);
  }
  return table::known_cell(most / gibibyte);
}

table::Cell most_cpus(const Usage& rows) {
  const auto most = std::ranges::max_element(rows, {}, &EpochUsage::cpus);
  return most == rows.end() ? table::Cell() : table::Cell(static_cast<double>(most->cpus));
}

table::Cell sum_cell(const Usage& rows, double EpochUsage::*field) {
  const auto sum = summed(rows, [&](const auto& row) { return row.*field; });
  return rows.empty() ? table::Cell() : table::known_cell(sum);
}

/// What both tables show of usage.
table::Columns<Usage> usage_columns() {
  const auto percent = [](double EpochUsage::*amount, double (*per)(const EpochUsage&)) {
    return [=](const Usage& rows) { return percent_cell(rows, amount, per); };
  };
  return {
      {"cpus", "CPUs", "", 0, most_cpus},
      {"own_percent", "own", "%", 1, percent(&EpochUsage::own_cpu_s, cpu_time_of)},
      {"others_percent", "others", "%", 1, percent(&EpochUsage::other_cpu_s, cpu_time_of)},
      {"steal_percent", "steal", "%", 1, percent(&EpochUsage::steal_s, cpu_time_of)},
      {"throttled_percent", "throttled", "%", 1, percent(&EpochUsage::throttled_s, cpu_time_of)},
      {"stopped_s", "stopped", "s", 1,
       [](const auto& rows) { return sum_cell(rows, &EpochUsage::stopped_s); }},
      {"cpu_wait_percent", "CPU wait", "%", 1, percent(&EpochUsage::cpu_wait_s, time_of)},
      {"memory_wait_percent", "memory wait", "%", 1, percent(&EpochUsage::memory_stall_s, time_of)},
      {"disk_wait_percent", "disk wait", "%", 1, percent(&EpochUsage::io_stall_s, time_of)},
      {"major_faults", "major faults", "", 0,
       [](const auto& rows) { return sum_cell(rows, &EpochUsage::major_faults); }},
      {"resident_gib", "resident", "GiB", 2, most_gib},
      {"node_percent", "node busy", "%", 1,
       [](const auto& rows) { return mean_percent(rows, &EpochUsage::node_use); }},
      {"gpu_percent", "GPU", "%", 1,
       [](const auto& rows) { return mean_percent(rows, &EpochUsage::gpu_use); }}};
}

/// The usage of a record, or of one of its epochs.
struct UsageRow {
  const LoadedRecord* loaded;
  Usage usage;
};

/// How many epochs have ended; empty if none has.
table::Cell epochs_cell(const UsageRow& row) {
  const auto& usage = row.usage;
  return std::ranges::any_of(usage, [](const auto& one) { return one.epoch >= 0; })
             ? table::Cell(static_cast<double>(usage.back().epoch - usage.front().epoch + 1))
             : table::Cell();
}

table::Table runs_table(const std::vector<LoadedRecord>& records, const TableOptions& options) {
  std::vector<UsageRow> rows;
  for (const auto& loaded : records) {
    rows.push_back({&loaded, usage_rows(loaded.record)});
  }
  table::Columns<UsageRow> columns;
  columns.add(record_columns(options.by), &UsageRow::loaded)
      .add({"epochs", "epochs", "", 0, epochs_cell})
      .add(usage_columns(), &UsageRow::usage)
      .add({"disturbed", "disturbed", [](const auto& row) {
              const auto found = telemetry::find_disturbance(row.usage);
              return found ? table::Cell(found->text) : table::Cell();
            }});
  auto table = table::make_table("telemetry", "What the machine did", columns, rows);
  table::add_note(
      table,
      fmt::format("in % of the CPU time of the CPUs that the run may use; waits and GPU: in % "
                  "of the time; disturbed: an epoch that lost more than {:g} % to one cause, "
                  "in a run that lost more than {:g} %",
                  100 * telemetry::epoch_limit, 100 * telemetry::run_limit));
  if (!std::ranges::all_of(rows, [](const auto& row) { return !row.usage.empty(); })) {
    table::add_note(table,
                    "empty rows: the record has no telemetry (an older record, an imported one, or "
                    "--telemetry=0s)");
  }
  return table;
}

table::Table epochs_table(const std::vector<LoadedRecord>& records) {
  std::vector<UsageRow> rows;
  for (const auto& loaded : records) {
    for (const auto& usage : usage_rows(loaded.record)) {
      rows.push_back({&loaded, {usage}});
    }
  }
  const table::Columns<EpochUsage> times{
      {"epoch", "epoch", "", 0,
       [](const auto& usage) {
         return table::positive_cell(static_cast<double>(usage.epoch + 1));
       }},
      {"rank", "rank", "", 0, &EpochUsage::rank},
      {"start_s", "start", "s", 2, &EpochUsage::start_s},
      {"duration_s", "duration", "s", 2, &EpochUsage::duration_s}};
  const table::Columns<EpochUsage> taken{{"taken_percent", "taken", "%", 1, [](const auto& usage) {
                                            const auto share = telemetry::most_taken_share(usage);
                                            return share ? table::Cell(100 * *share)
                                                         : table::Cell();
                                          }}};
  const auto epoch = [](const UsageRow& row) -> const EpochUsage& { return row.usage.front(); };
  table::Columns<UsageRow> columns{
      {"record", "record", [](const auto& row) { return row.loaded->path; }}};
  columns.add(times, epoch).add(usage_columns(), &UsageRow::usage).add(taken, epoch);
  return table::make_table("telemetry_epochs",
                           "What the machine did in each epoch (counted from 1)", columns, rows);
}

std::vector<table::Table> make_telemetry(const std::vector<LoadedRecord>& records,
                                         const TableOptions& options) {
  require_attributes(records, options.by);
  return {runs_table(records, options), epochs_table(records)};
}

}  // namespace telemetry_table

TableSpec telemetry() {
  return {
      .summary = "what CPUs, memory and GPUs did in each run and epoch; which runs were disturbed",
      .make = telemetry_table::make_telemetry,
      .keeps_disturbed = true};
}

}  // namespace epochcast::analysis::tables
