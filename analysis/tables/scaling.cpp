// Speed-up and efficiency of runs on rising numbers of GPUs, processes or CPUs, the time for which
// they waited for each other, and the serial fraction by the laws of Amdahl and Gustafson.
#include <fmt/format.h>

#include <set>

#include "analysis/groups/scaling_series.hpp"
#include "analysis/records/exchange.hpp"
#include "analysis/records/record_metrics.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/scaling/serial_share.hpp"
#include "src/output/table/make_table.hpp"

namespace epochcast::analysis::tables {
namespace scaling_table {

using Growth = ScalingSeries::Growth;

/// The gradient exchange of the runs that recorded it.
std::vector<Exchange> exchanges_of(const ScalingRuns& runs) {
  return known_values(runs.runs, [](const auto* run) { return exchange_of(*run); });
}

/// The median of `ask` over it.
template <class Ask>
table::Cell exchange_cell(const ScalingRuns& runs, Ask ask) {
  return table::median_cell(summarize(mapped(exchanges_of(runs), ask)));
}

/// The slowest rank, where all runs agree on it.
table::Cell slowest_rank(const ScalingRuns& runs) {
  std::set<std::int64_t> slowest;
  for (const auto& exchange : exchanges_of(runs)) {
    slowest.insert(exchange.slowest_rank);
  }
  return slowest.size() == 1 ? table::Cell(static_cast<double>(*slowest.begin())) : table::Cell();
}

table::Columns<ScalingSeries> series_columns(const std::vector<std::string>& by) {
  table::Columns<ScalingSeries> columns{{"series", "series", &ScalingSeries::name}};
  return columns.add_each(by, &ScalingSeries::by).add({"source", "source", &ScalingSeries::source});
}

/// The runs on one number of workers.
struct PointRow {
  const ScalingSeries* series;
  const ScalingRuns* runs;
  Summary throughput;
  bool relative;  ///< Its throughputs are ratios.

  double speedup() const { return throughput.median / series->base().throughput().median; }
  double efficiency_percent() const {
    return 100 * speedup() * series->base().workers / runs->workers;
  }
};

table::Columns<PointRow> columns_of(const std::vector<std::string>& by) {
  const table::Columns<ScalingRuns> gradients{
      {"exchange_percent", "waiting for others", "%", 1,
       [](const auto& runs) {
         return exchange_cell(runs, [](const Exchange& one) { return 100 * one.share; });
       }},
      {"slowest_rank", "slowest rank", "", 0, slowest_rank},
      {"slower_percent", "slower by", "%", 1, [](const auto& runs) {
         return exchange_cell(runs, [](const Exchange& one) { return 100 * one.slower; });
       }}};
  table::Columns<PointRow> columns;
  return columns.add(series_columns(by), &PointRow::series)
      .add({{"allocation", "allocation", [](const auto& row) { return row.runs->allocation; }},
            {"workers", "workers", "", 0, [](const auto& row) { return row.runs->workers; }},
            {"kind", "", [](const auto& row) { return to_text(row.series->kind); }},
            {"nodes", "nodes", "", 0, [](const auto& row) { return row.runs->nodes; }},
            {"runs", "runs", "", 0, [](const auto& row) { return row.throughput.n; }},
            {"samples_per_s", "samples", "1/s", 1,
             [](const auto& row) {
               return row.relative ? table::Cell() : table::Cell(row.throughput.median);
             }},
            {"samples_spread_per_s", "spread", "1/s", 1,
             [](const auto& row) {
               return row.relative ? table::Cell() : table::spread_cell(row.throughput);
             }},
            {"speedup", "speed-up", "", 2, &PointRow::speedup},
            {"efficiency_percent", "efficiency", "%", 1, &PointRow::efficiency_percent}})
      .add(gradients, &PointRow::runs);
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
  std::vector<PointRow> rows;
  for (const auto& series : study.series) {
    for (const auto& point : series.points) {
      rows.push_back({&series, &point, point.throughput(), is_relative(*point.runs.front())});
    }
  }
  auto table = table::make_table("scaling", "Speed-up with more workers", columns_of(by), rows);
  for (const auto& series : study.series) {
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

/// The serial share of a series on so many nodes, by a law.
struct FitRow {
  const ScalingSeries* series;
  double nodes;
  std::size_t points;
  forecast::SerialLaw law;
  forecast::SerialShare found;

  bool amdahl() const { return law == forecast::SerialLaw::amdahl; }
  bool made_for_it() const { return amdahl() == (series->growth == Growth::strong); }

  /// In percent; nothing where the times follow no such law.
  std::optional<double> percent(const std::optional<double>& share) const {
    return share && found.no_law.empty() ? std::optional(100 * *share) : std::nullopt;
  }
};

void add_fits(const ScalingSeries& series, double nodes, std::vector<FitRow>& rows) {
  const auto points = points_on(series, nodes);
  for (const auto law : {forecast::SerialLaw::amdahl, forecast::SerialLaw::gustafson}) {
    if (const auto found = forecast::serial_share(law, points)) {
      rows.push_back({&series, nodes, points.size(), law, *found});
    }
  }
}

table::Table fits_of(const ScalingStudy& study, const std::vector<std::string>& by) {
  std::vector<FitRow> rows;
  for (const auto& series : study.series) {
    std::set<double> nodes;
    for (const auto& point : series.points) {
      nodes.insert(point.nodes);
    }
    for (const double count : nodes) {
      add_fits(series, count, rows);
    }
  }
  table::Columns<FitRow> columns;
  columns.add(series_columns(by), &FitRow::series)
      .add({{"nodes", "nodes", "", 0, &FitRow::nodes},
            {"points", "points", "", 0, &FitRow::points},
            {"law", "law", [](const auto& row) { return row.amdahl() ? "Amdahl" : "Gustafson"; }},
            {"made_for_it", "made for it", &FitRow::made_for_it},
            {"serial_percent", "serial", "%", 1,
             [](const auto& row) { return row.percent(row.found.share); }},
            {"low_95_percent", "95% from", "%", 1,
             [](const auto& row) { return row.percent(row.found.low); }},
            {"high_95_percent", "to", "%", 1,
             [](const auto& row) { return row.percent(row.found.high); }},
            {"error_percent", "error", "%", 1,
             [](const auto& row) { return row.percent(row.found.error); }},
            {"remark", "remark", [](const auto& row) {
               return row.found.no_law.empty() ? "" : fmt::format("{}: no law", row.found.no_law);
             }}});
  auto table = table::make_table("serial_share", "Serial fraction of the work", columns, rows);
  if (!rows.empty()) {
    table.notes.emplace_back(
        "Amdahl's law is of a step that stays the same (strong), Gustafson's of one that grows "
        "(weak); error: root mean square about the fit; no interval: two points determine the law");
  }
  return table;
}

std::vector<table::Table> make(const std::vector<LoadedRecord>& records,
                               const TableOptions& options) {
  const auto study = scaling_study(records, options.by);
  return not_empty(
      {speedups_of(study, options.by), fits_of(study, options.by), excluded_table(study.excluded)});
}

}  // namespace scaling_table

TableSpec scaling() {
  return {.summary = "speed-up and efficiency on more GPUs, processes or CPUs, weak and strong",
          .make = scaling_table::make,
          .answer = {6}};
}

}  // namespace epochcast::analysis::tables
