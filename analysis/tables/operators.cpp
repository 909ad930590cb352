// Operators of a profile by their own time, with the columns, shares and order of PyTorch's
// profiler (prof.key_averages().table()): one table for each profiled record.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/records/record_metrics.hpp"
#include "analysis/records/recorded_step.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/output/table/make_table.hpp"
#include "src/record/queries.hpp"

namespace epochcast::analysis::tables {
namespace operators_table {

std::string upper_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

/// As the reference cuts them.
std::string cut_name(const std::string& name) {
  constexpr std::size_t widest = 55;
  return name.size() >= widest - 3 ? name.substr(0, widest - 3) + "..." : name;
}

/// An operator, or one of its shapes. Published tables lack the times of the host, or totals.
struct OperatorRow {
  std::string name;
  std::optional<double> self_cpu_s;
  std::optional<double> cpu_total_s;
  std::optional<double> self_device_s;
  std::optional<double> device_total_s;
  double calls;
  double flops = 0;
  std::string shapes = {};
};

/// The longest first. `Operator` is record::Operator or record::OperatorShape.
template <class Operator>
std::vector<OperatorRow> operator_rows(std::vector<Operator> operators,
                                       const record::Profile& profile) {
  std::ranges::stable_sort(
      operators, std::greater{},
      profile.self_device_s > 0 ? &Operator::self_device_s : &Operator::self_cpu_s);
  const bool host = profile.self_cpu_s > 0;
  std::vector<OperatorRow> rows;
  for (const auto& one : operators) {
    auto& row = rows.emplace_back(OperatorRow{.name = cut_name(one.name.str()),
                                              .self_device_s = one.self_device_s,
                                              .device_total_s = one.device_total_s,
                                              .calls = static_cast<double>(one.calls)});
    if (host) {
      row.self_cpu_s = one.self_cpu_s;
    }
    if (host && one.cpu_total_s >= one.self_cpu_s) {
      row.cpu_total_s = one.cpu_total_s;
    }
    if constexpr (requires { one.shapes; }) {
      row.shapes = one.shapes.str();
    } else {
      row.flops = one.flops;
    }
  }
  return rows;
}

using OperatorTime = std::optional<double> OperatorRow::*;

table::RowColumn<OperatorRow> time_column(const std::string& key, const std::string& heading,
                                          OperatorTime time_s) {
  return {table::scaled_time_column(key, heading), time_s};
}

table::RowColumn<OperatorRow> share_column(const std::string& key, const std::string& heading,
                                           OperatorTime time_s, double whole_s) {
  return {key, heading, "%", 2, [time_s, whole_s](const OperatorRow& row) {
            return row.*time_s ? table::percent_cell(*(row.*time_s), whole_s) : table::Cell();
          }};
}

table::RowColumn<OperatorRow> mean_column(const std::string& key, const std::string& heading,
                                          OperatorTime time_s) {
  return {table::scaled_time_column(key, heading), [time_s](const OperatorRow& row) {
            return row.*time_s ? table::ratio_cell(*(row.*time_s), row.calls) : table::Cell();
          }};
}

table::Columns<OperatorRow> operator_columns(const std::vector<OperatorRow>& rows,
                                             const record::Profile& profile, bool by_shapes) {
  const double cpu_s = profile.self_cpu_s;
  const double device_s = profile.self_device_s;
  table::Columns<OperatorRow> columns{
      {"name", "Name", &OperatorRow::name},
      share_column("self_cpu_percent", "Self CPU", &OperatorRow::self_cpu_s, cpu_s),
      time_column("self_cpu_s", "Self CPU", &OperatorRow::self_cpu_s),
      share_column("cpu_total_percent", "CPU total", &OperatorRow::cpu_total_s, cpu_s),
      time_column("cpu_total_s", "CPU total", &OperatorRow::cpu_total_s),
      mean_column("cpu_time_avg_s", "CPU time avg", &OperatorRow::cpu_total_s)};
  if (device_s > 0) {
    const auto name = upper_case(profile.device.str());
    columns.add(
        {time_column("self_device_s", "Self " + name, &OperatorRow::self_device_s),
         share_column("self_device_percent", "Self " + name, &OperatorRow::self_device_s, device_s),
         time_column("device_total_s", name + " total", &OperatorRow::device_total_s),
         mean_column("device_time_avg_s", name + " time avg", &OperatorRow::device_total_s)});
  }
  columns.add({"calls", "# of Calls", "", 0,
               [](const auto& row) { return table::positive_cell(row.calls); }});
  if (by_shapes) {
    columns.add({"shapes", "Input Shapes", &OperatorRow::shapes});
  } else if (std::ranges::any_of(rows, [](const auto& row) { return row.flops > 0; })) {
    columns.add({"flops", "Total", "MFLOP", 3,
                 [](const auto& row) { return table::positive_cell(row.flops / 1e6); }});
  }
  return columns;
}

void add_totals(table::Table& table, const record::Profile& profile, bool with_start) {
  if (profile.self_cpu_s > 0) {
    table::add_note(table, "Self CPU time total: " + table::scaled_time_text(profile.self_cpu_s));
  }
  if (profile.self_device_s > 0) {
    table::add_note(table, fmt::format("Self {} time total: {}", upper_case(profile.device.str()),
                                       table::scaled_time_text(profile.self_device_s)));
  }
  if (profile.wall_s > 0 && profile.steps > 0) {
    const auto parts = with_start ? 1 : static_cast<double>(profile.steps);
    table::add_note(
        table,
        fmt::format("{} {} on the host; with the profiler, {:.1f} % of it in operators",
                    table::scaled_time_text(profile.wall_s / parts),
                    with_start ? "in all" : "a step", 100 * profile.self_cpu_s / profile.wall_s));
  }
}

/// What a published table does not have, or contradicts.
void add_gaps(table::Table& table, const record::Record& record) {
  const auto& profile = record.profile.front();
  double self_cpu_s = 0;
  bool has_calls = false;
  bool has_totals = true;
  for (const auto& row : record.operators) {
    self_cpu_s += row.self_cpu_s;
    has_calls = has_calls || row.calls > 0;
    has_totals = has_totals && row.cpu_total_s >= row.self_cpu_s;
  }
  if (record.operators.empty()) {
    return;
  }
  if (!has_calls || !has_totals) {
    table::add_note(table, "empty cells: not published");
  }
  if (profile.self_cpu_s > 0 && self_cpu_s > 1.005 * profile.self_cpu_s) {
    table::add_note(table, fmt::format("the times of the rows add up to {:.1f} % of the total: one "
                                       "of the figures is wrong in the source",
                                       100 * self_cpu_s / profile.self_cpu_s));
  }
}

std::string profile_title(const LoadedRecord& loaded, const record::Profile& profile) {
  const auto& record = loaded.record;
  const bool measured = record.header.source.view() == "measured";
  return fmt::format("{}: operators of {}, {} on {}{}", loaded.path, profile.covers.view(),
                     workload_of(record), profile.device.view(),
                     measured ? "" : fmt::format(" ({})", record.header.source.view()));
}

table::Table operator_table(const LoadedRecord& loaded, bool by_shapes) {
  const auto& record = loaded.record;
  const auto& profile = record.profile.front();
  const auto rows = by_shapes ? operator_rows(record.operator_shapes, profile)
                              : operator_rows(record.operators, profile);
  auto table = table::make_table("operators", profile_title(loaded, profile),
                                 operator_columns(rows, profile, by_shapes), rows);
  if (by_shapes && table.rows.empty()) {
    table::add_note(table, "no shapes were recorded: run with profile_shapes");
  }
  add_totals(table, profile, record::parameter(record, "profile_start") == "true");
  add_gaps(table, record);
  table::add_note(table, record.header.note.str());
  return table;
}

/// Every table has a name of its own, for --part and the files of CSV.
void name_apart(std::vector<table::Table>& tables) {
  for (std::size_t i = 1; i < tables.size(); ++i) {
    tables[i].name += fmt::format("_{}", i + 1);
  }
}

bool wants_shapes(const std::vector<std::string>& by) {
  for (const auto& name : by) {
    if (name != "shapes") {
      throw Error(
          fmt::format("--by: found '{}'; the table operators takes only --by shapes", name));
    }
  }
  return !by.empty();
}

std::vector<table::Table> make_operators(const std::vector<LoadedRecord>& records,
                                         const TableOptions& options) {
  const bool by_shapes = wants_shapes(options.by);
  std::vector<table::Table> tables;
  std::size_t without = 0;
  for (const auto& loaded : records) {
    if (loaded.record.profile.empty()) {
      ++without;
      continue;
    }
    tables.push_back(operator_table(loaded, by_shapes));
  }
  if (tables.empty()) {
    throw Error("no record holds a profile: run with profile=N, the number of steps to profile",
                exit_failed);
  }
  name_apart(tables);
  if (without > 0) {
    table::add_note(tables.back(), fmt::format("records without a profile: {}", without));
  }
  return tables;
}

}  // namespace operators_table

TableSpec operators() {
  return {.summary = "self and total time of each operator of a profiled run; --by shapes",
          .make = operators_table::make_operators,
          .rows = record::Rows::without_steps,
          .answer = {9}};
}

}  // namespace epochcast::analysis::tables
