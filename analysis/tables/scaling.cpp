// Speed-up and efficiency of runs on rising numbers of GPUs, processes or CPUs, the time for which
// they waited for each other, and the serial fraction by the laws of Amdahl and Gustafson.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/groups/scaling_series.hpp"
#include "analysis/records/exchange.hpp"
#include "analysis/records/record_metrics.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "analysis/validate/foretold.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/scaling/serial_share.hpp"
#include "src/output/table/table.hpp"

namespace epochcast::analysis::tables {
namespace {

using Growth = ScalingSeries::Growth;

/// The median of `ask` over the runs' gradient exchange.
template <class Ask>
table::Cell exchange_cell(const ScalingRuns& runs, Ask ask) {
  std::vector<double> values;
  for (const auto* run : runs.runs) {
    if (const auto exchange = exchange_of(*run)) {
      values.push_back(ask(*exchange));
    }
  }
  return table::median_cell(summarize(values));
}

/// The slowest rank, where all runs agree on it.
table::Cell slowest_rank(const ScalingRuns& runs) {
  std::set<std::int64_t> slowest;
  for (const auto* run : runs.runs) {
    if (const auto exchange = exchange_of(*run)) {
      slowest.insert(exchange->slowest_rank);
    }
  }
  return slowest.size() == 1 ? table::Cell(static_cast<double>(*slowest.begin())) : table::Cell();
}

std::vector<table::Column> columns_of(const std::vector<std::string>& by) {
  return table::columns_by(
      table::text_column("series", "series"), by,
      {table::text_column("source", "source"), table::text_column("allocation", "allocation"),
       table::number_column("workers", "workers", "", 0), table::text_column("kind", ""),
       table::number_column("nodes", "nodes", "", 0), table::number_column("runs", "runs", "", 0),
       table::number_column("samples_per_s", "samples", "1/s", 1),
       table::number_column("samples_spread_per_s", "spread", "1/s", 1),
       table::number_column("speedup", "speed-up", "", 2),
       table::number_column("efficiency_percent", "efficiency", "%", 1),
       table::number_column("exchange_percent", "waiting for others", "%", 1),
       table::number_column("slowest_rank", "slowest rank", "", 0),
       table::number_column("slower_percent", "slower by", "%", 1)});
}

table::Row row_of(const ScalingSeries& series, const ScalingRuns& runs) {
  const auto throughput = runs.throughput();
  const double speedup = throughput.median / series.base().throughput().median;
  const bool relative = is_relative(*runs.runs.front());
  return table::row_by(
      series.name(), series.by,
      {series.source, runs.allocation, runs.workers, to_text(series.kind), runs.nodes,
       static_cast<double>(throughput.n), relative ? table::Cell() : table::Cell(throughput.median),
       relative || throughput.n < 2 ? table::Cell() : table::Cell(throughput.spread), speedup,
       100 * speedup * series.base().workers / runs.workers,
       exchange_cell(runs, [](const Exchange& one) { return 100 * one.share; }), slowest_rank(runs),
       exchange_cell(runs, [](const Exchange& one) { return 100 * one.slower; })});
}

/// Where the machines were fewer than the nodes, a speed-up is no statement on machines.
std::vector<std::string> remarks_of(const ScalingSeries& series) {
  std::vector<std::string> remarks;
  for (const auto& point : series.points) {
    const auto& record = *point.runs.front();
    const auto machines = machines_of(record);
    if (machines > 0 && static_cast<double>(machines) < point.nodes) {
      remarks.push_back(fmt::format(
          "{}: its {:g} nodes are {} machine{}, whose CPUs they share: more workers are not more "
          "hardware",
          point.allocation, point.nodes, machines, machines == 1 ? "" : "s"));
    }
    const auto& machine = record.machines.empty() ? record::Machine{} : record.machines.front();
    if (const auto had = cpus_of(record); !used_gpu(record) && machines > 0 &&
                                          machine.hardware_threads > 0 &&
                                          had > machines * machine.hardware_threads) {
      remarks.push_back(fmt::format("{}: {} threads on {} CPUs: they take turns", point.allocation,
                                    had, machines * machine.hardware_threads));
    }
    const auto note = record.header.note.str();
    if (!note.empty()) {
      remarks.push_back(fmt::format("{}: {}", point.allocation, note));
    }
  }
  return remarks;
}

table::Table speedups_of(const ScalingStudy& study, const std::vector<std::string>& by) {
  table::Table table{
      .name = "scaling", .title = "Speed-up with more workers", .columns = columns_of(by)};
  for (const auto& series : study.series) {
    for (const auto& point : series.points) {
      table.rows.push_back(row_of(series, point));
    }
    for (const auto& remark : remarks_of(series)) {
      table::add_note(table, remark);
    }
    if (series.base().workers > 1) {
      table::add_note(table,
                      fmt::format("{}: relative to {:g} {}, since none ran on one", series.name(),
                                  series.base().workers, to_text(series.kind)));
    }
  }
  table.notes.emplace_back(
      "weak: each worker takes so many samples in a step; strong: all together do; samples: over "
      "all epochs but the first, without evaluation and checkpoints");
  auto lines_by = by;
  lines_by.insert(lines_by.begin(), {"series", "source", "nodes"});
  table.plot =
      table::Plot{.x = "workers", .y = {"speedup"}, .lines_by = std::move(lines_by), .ideal = true};
  return table;
}

/// The points on `nodes` nodes, and the point of one worker.
std::vector<forecast::ScalingPoint> points_on(const ScalingSeries& series, double nodes) {
  auto points = series.all_points();
  std::erase_if(points, [&](const forecast::ScalingPoint& point) {
    return point.nodes != nodes && point.workers != series.base().workers;
  });
  return points;
}

table::Cell percent(const std::optional<double>& share) {
  return share ? table::Cell(100 * *share) : table::Cell();
}

void add_fit(table::Table& table, const ScalingSeries& series, double nodes,
             forecast::SerialLaw law) {
  const auto points = points_on(series, nodes);
  const auto found = forecast::serial_share(law, points);
  if (!found) {
    return;
  }
  const bool amdahl = law == forecast::SerialLaw::amdahl;
  const bool fits = amdahl == (series.growth == Growth::strong);
  auto& row = table.rows.emplace_back(
      table::row_by(series.name(), series.by,
                    {series.source, nodes, static_cast<double>(points.size()),
                     amdahl ? "Amdahl" : "Gustafson", fits ? "yes" : "no"}));
  if (found->no_law.empty()) {
    row.insert(row.end(), {100 * found->share, percent(found->low), percent(found->high),
                           100 * found->error, ""});
  } else {
    row.insert(row.end(), {table::Cell(), table::Cell(), table::Cell(), table::Cell(),
                           fmt::format("{}: no law", found->no_law)});
  }
}

table::Table fits_of(const ScalingStudy& study, const std::vector<std::string>& by) {
  table::Table table{
      .name = "serial_share",
      .title = "Serial fraction of the work",
      .columns = table::columns_by(
          table::text_column("series", "series"), by,
          {table::text_column("source", "source"), table::number_column("nodes", "nodes", "", 0),
           table::number_column("points", "points", "", 0), table::text_column("law", "law"),
           table::text_column("made_for_it", "made for it"),
           table::number_column("serial_percent", "serial", "%", 1),
           table::number_column("low_95_percent", "95% from", "%", 1),
           table::number_column("high_95_percent", "to", "%", 1),
           table::number_column("error_percent", "error", "%", 1),
           table::text_column("remark", "remark")})};
  for (const auto& series : study.series) {
    std::set<double> nodes;
    for (const auto& point : series.points) {
      nodes.insert(point.nodes);
    }
    for (const double count : nodes) {
      add_fit(table, series, count, forecast::SerialLaw::amdahl);
      add_fit(table, series, count, forecast::SerialLaw::gustafson);
    }
  }
  if (table.rows.empty()) {
    return table;
  }
  table.notes.emplace_back(
      "Amdahl's law is of a step that stays the same (strong), Gustafson's of one that grows "
      "(weak); error: root mean square about the fit; no interval: two points determine the law");
  return table;
}

std::vector<table::Table> make(const std::vector<LoadedRecord>& records,
                               const TableOptions& options) {
  const auto study = scaling_study(records, options.by);
  return not_empty({speedups_of(study, options.by), fits_of(study, options.by),
                    scaling_check(study.series), excluded_table(study.excluded)});
}

}  // namespace

TableSpec scaling() {
  return {.summary = "speed-up and efficiency on more GPUs, processes or CPUs, weak and strong",
          .make = make,
          .answer = {6}};
}

}  // namespace epochcast::analysis::tables
