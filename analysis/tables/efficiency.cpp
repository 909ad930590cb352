// What each job used of what it had asked for, what limited it and what to ask for next, the worst
// first: of records, or of past jobs of the accounting (import sacct), ours or not.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/records/record_cost.hpp"
#include "analysis/records/varied.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/base/cli/report.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/quantity.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/efficiency/job_report.hpp"
#include "src/forecast/history/history_file.hpp"
#include "src/output/table/make_table.hpp"

namespace epochcast::analysis::tables {
namespace efficiency_table {

using efficiency::JobUse;
using efficiency::Use;
using slurm::AccountedJob;

constexpr double second_to_hour = 1.0 / 3600;
constexpr double byte_to_gib = 1.0 / gibibyte;

/// Used, asked, the share of it and what to ask for next, in the unit of `scale`.
table::Columns<Use> use_columns(const std::string& name, const std::string& heading,
                                const std::string& unit, int decimals, double scale) {
  const auto scaled = [scale](const std::optional<double>& value) {
    return value ? std::optional(*value * scale) : std::nullopt;
  };
  const auto key = [&](const std::string& what) {
    return name + "_" + what + (unit.empty() ? "" : "_" + to_lower(unit));
  };
  return {{key("used"), heading, unit, decimals,
           [scaled](const Use& use) { return scaled(use.used); }, table::as_detail},
          {key("asked"), heading + " asked", unit, decimals,
           [scaled](const Use& use) { return scaled(use.asked); }},
          {name + "_percent", "used", "%", 0,
           [](const Use& use) {
             const auto share = use.share();
             return share ? std::optional(100 * *share) : std::nullopt;
           }},
          {key("next"), heading + " next", unit, decimals,
           [scaled](const Use& use) { return scaled(use.next); }, table::as_detail}};
}

table::Columns<JobUse> columns_of_use() {
  table::Columns<JobUse> columns{{"state", "state", &JobUse::state}};
  columns.add(use_columns("time", "time", "h", 2, second_to_hour), &JobUse::time_s)
      .add(use_columns("cpus", "CPUs", "", 1, 1), &JobUse::cpus)
      .add(use_columns("memory", "memory", "GiB", 2, byte_to_gib), &JobUse::memory_bytes)
      .add(use_columns("gpus", "GPUs", "", 1, 1), &JobUse::gpus)
      .add({"gpu_memory_gib", "GPU memory", "GiB", 2,
            [](const auto& use) {
              const auto& bytes = use.gpu_memory_bytes.used;
              return bytes ? std::optional(*bytes * byte_to_gib) : std::nullopt;
            },
            table::as_detail})
      .add({"cpu_hours", "CPU-hours", "h", 2, &JobUse::cpu_hours, table::as_detail})
      .add({"gpu_hours", "GPU-hours", "h", 2, &JobUse::gpu_hours, table::as_detail})
      .add({"lost_cpu_hours", "CPU-hours lost", "h", 2, &JobUse::lost_cpu_hours})
      .add({"lost_gpu_hours", "GPU-hours lost", "h", 2, [](const auto& use) {
              return use.gpus.asked.value_or(0) > 0 ? use.lost_gpu_hours() : std::nullopt;
            }});
  return columns;
}

/// What people read last.
table::Columns<JobUse> advice_columns() {
  return {{"limited_by", "limited by",
           [](const auto& use) { return table::text_cell(use.limited_by); }},
          {"next", "ask next for",
           [](const auto& use) { return table::text_cell(efficiency::next_text(use)); }}};
}

/// GPU-hours first, since they are dear; then CPU-hours; then memory that was not needed.
auto badness(const JobUse& use) {
  const auto& memory = use.memory_bytes;
  const double unused = memory.used && memory.asked ? *memory.asked - *memory.used : 0;
  return std::tuple(use.lost_gpu_hours().value_or(0), use.lost_cpu_hours().value_or(0),
                    unused * use.time_s.used.value_or(0));
}

/// "memory: there are no samples of telemetry (3 jobs)": what was not measured, and why.
void note_unknown(const std::vector<const JobUse*>& jobs, table::Table& table) {
  std::map<std::string, std::size_t> reasons;
  for (const auto* job : jobs) {
    for (const auto& [name, use] :
         {std::pair("time", &job->time_s), std::pair("CPUs", &job->cpus),
          std::pair("memory", &job->memory_bytes), std::pair("GPUs", &job->gpus)}) {
      if (!use->unknown.empty()) {
        ++reasons[fmt::format("{}: {}", name, use->unknown)];
      }
    }
  }
  for (const auto& [reason, count] : reasons) {
    table.notes.push_back(fmt::format("not known: {} ({})", reason, counted(count, "job")));
  }
}

template <class Row>
table::Table table_of(std::vector<Row> rows, const table::Columns<Row>& columns) {
  const auto all = rows.size();
  std::erase_if(rows, [](const Row& row) { return !row.use.has_ended; });
  const auto running = all - rows.size();
  std::ranges::stable_sort(rows, std::greater<>(), [](const Row& row) { return badness(row.use); });
  auto table = table::make_table(
      "efficiency", "What jobs used of what they had asked for, the worst first", columns, rows);
  table.notes = {
      fmt::format("lost: hours of CPUs and GPUs that were idle, and all hours of jobs that failed; "
                  "ask next for: the most that was used, time and memory {:.0f} % more; after a "
                  "kill for memory, {:g} times what the job had",
                  100 * efficiency::margin, efficiency::after_kill)};
  note_unknown(mapped(rows, [](const Row& row) { return &row.use; }), table);
  if (running > 0) {
    table.notes.push_back(fmt::format("left out: {} that have not ended", counted(running, "job")));
  }
  return table;
}

struct RecordRow {
  const LoadedRecord* loaded;
  JobUse use;
  run::Prices prices;

  std::optional<double> money() const {
    const auto& wall_s = use.time_s.used;
    return run::money_of({.wall_h = wall_s ? std::optional(*wall_s * second_to_hour) : std::nullopt,
                          .cpu_hours = use.cpu_hours(),
                          .gpu_hours = use.gpu_hours(),
                          .node_hours = wall_s ? std::optional(*wall_s * second_to_hour *
                                                               static_cast<double>(use.nodes))
                                               : std::nullopt},
                         prices);
  }
};

std::vector<table::Table> of_records(const std::vector<LoadedRecord>& records,
                                     const TableOptions& options) {
  require_attributes(records, options.by);
  const auto rows = mapped(records, [](const auto& loaded) {
    return RecordRow{&loaded, efficiency::use_of(loaded.record), prices_of(loaded.record)};
  });
  table::Columns<RecordRow> columns;
  columns.add(record_columns(options.by), &RecordRow::loaded)
      .add(columns_of_use(), &RecordRow::use)
      .add({"money", "cost", "", 4, &RecordRow::money})
      .add({"currency", "currency",
            [](const auto& row) {
              return table::text_cell(row.money() ? row.prices.currency : "");
            }})
      .add(advice_columns(), &RecordRow::use);
  return {table_of(rows, columns)};
}

struct AccountedRow {
  AccountedJob job;
  JobUse use;
};

std::vector<table::Table> of_histories(const std::vector<std::string>& files,
                                       const TableOptions& /*options*/) {
  std::vector<AccountedRow> rows;
  for (const auto& file : files) {
    std::vector<std::string> damaged;
    for (auto& job : history::read_history(file, &damaged)) {
      auto use = efficiency::use_of(job);
      rows.push_back({std::move(job), std::move(use)});
    }
    for (const auto& line : damaged) {
      cli::report("left out: " + line);
    }
  }
  const table::Columns<AccountedJob> names{
      {"job", "job", &AccountedJob::job},
      {"user", "user", &AccountedJob::user},
      {"job_name", "name", &AccountedJob::job_name},
      {"partition", "partition", &AccountedJob::partition, table::as_detail}};
  table::Columns<AccountedRow> columns;
  columns.add(names, &AccountedRow::job)
      .add(columns_of_use(), &AccountedRow::use)
      .add(advice_columns(), &AccountedRow::use);
  return {table_of(rows, columns)};
}

}  // namespace efficiency_table

TableSpec efficiency() {
  return {
      .summary = "used of asked for: time, CPUs, memory, GPUs; also of past jobs (import sacct)",
      .make = efficiency_table::of_records,
      .keeps_disturbed = true,
      .of_files = efficiency_table::of_histories};
}

}  // namespace epochcast::analysis::tables
