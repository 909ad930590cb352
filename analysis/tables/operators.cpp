// Operators of a profile by their own time, with the columns, shares and order of PyTorch's
// profiler (prof.key_averages().table()): one table for each profiled record.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/records/record_metrics.hpp"
#include "analysis/records/recorded_step.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/output/table/table.hpp"
#include "src/record/queries.hpp"

namespace epochcast::analysis::tables {
namespace {

/// The columns that only some profiles have.
struct OperatorColumns {
  bool device = false;  ///< Kernels.
  bool flops = false;
  bool shapes = false;
};

std::string upper_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::vector<table::Column> operator_columns(const OperatorColumns& has, const std::string& device) {
  const auto share = [](const std::string& key, const std::string& heading) {
    return table::number_column(key, heading, "%", 2);
  };
  std::vector columns{table::text_column("name", "Name"),
                      share("self_cpu_percent", "Self CPU"),
                      table::scaled_time_column("self_cpu_s", "Self CPU"),
                      share("cpu_total_percent", "CPU total"),
                      table::scaled_time_column("cpu_total_s", "CPU total"),
                      table::scaled_time_column("cpu_time_avg_s", "CPU time avg")};
  if (has.device) {
    const auto name = upper_case(device);
    columns.push_back(table::scaled_time_column("self_device_s", "Self " + name));
    columns.push_back(share("self_device_percent", "Self " + name));
    columns.push_back(table::scaled_time_column("device_total_s", name + " total"));
    columns.push_back(table::scaled_time_column("device_time_avg_s", name + " time avg"));
  }
  columns.push_back(table::number_column("calls", "# of Calls", "", 0));
  if (has.shapes) {
    columns.push_back(table::text_column("shapes", "Input Shapes"));
  }
  if (has.flops) {
    columns.push_back(table::number_column("flops", "Total", "MFLOP", 3));
  }
  return columns;
}

table::Cell share_cell(double part_s, double of_s) {
  return of_s > 0 ? table::Cell(100 * part_s / of_s) : table::Cell();
}

table::Cell mean_cell(double total_s, std::int64_t calls) {
  return calls > 0 ? table::Cell(total_s / static_cast<double>(calls)) : table::Cell();
}

/// As the reference cuts them.
std::string cut_name(const std::string& name) {
  constexpr std::size_t widest = 55;
  return name.size() >= widest - 3 ? name.substr(0, widest - 3) + "..." : name;
}

/// Published tables lack the times of the host or of the device, or totals.
table::Cell time_cell(double s, bool known) {
  return known ? table::Cell(s) : table::Cell();
}

/// `Row` is record::Operator or record::OperatorShape.
template <class Row>
table::Row operator_row(const Row& row, const record::Profile& profile,
                        const OperatorColumns& has) {
  const bool host = profile.self_cpu_s > 0;
  const bool total = host && row.cpu_total_s >= row.self_cpu_s;
  table::Row cells{cut_name(row.name.str()),
                   share_cell(row.self_cpu_s, profile.self_cpu_s),
                   time_cell(row.self_cpu_s, host),
                   total ? share_cell(row.cpu_total_s, profile.self_cpu_s) : table::Cell(),
                   time_cell(row.cpu_total_s, total),
                   total ? mean_cell(row.cpu_total_s, row.calls) : table::Cell()};
  if (has.device) {
    cells.insert(cells.end(),
                 {row.self_device_s, share_cell(row.self_device_s, profile.self_device_s),
                  row.device_total_s, mean_cell(row.device_total_s, row.calls)});
  }
  cells.push_back(row.calls > 0 ? table::Cell(static_cast<double>(row.calls)) : table::Cell());
  if constexpr (requires { row.shapes; }) {
    cells.push_back(row.shapes.str());
  } else if (has.flops) {
    cells.push_back(row.flops > 0 ? table::Cell(row.flops / 1e6) : table::Cell());
  }
  return cells;
}

template <class Row>
void add_operator_rows(table::Table& table, std::vector<Row> rows, const record::Profile& profile,
                       const OperatorColumns& has) {
  std::ranges::stable_sort(rows, [&](const Row& a, const Row& b) {
    return has.device ? a.self_device_s > b.self_device_s : a.self_cpu_s > b.self_cpu_s;
  });
  for (const auto& row : rows) {
    table.rows.push_back(operator_row(row, profile, has));
  }
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
  const auto& rows = record.operators;
  const OperatorColumns has{
      .device = profile.self_device_s > 0,
      .flops =
          !by_shapes && std::ranges::any_of(rows, [](const auto& row) { return row.flops > 0; }),
      .shapes = by_shapes};
  table::Table table{.name = "operators",
                     .title = profile_title(loaded, profile),
                     .columns = operator_columns(has, profile.device.str())};
  if (!by_shapes) {
    add_operator_rows(table, rows, profile, has);
  } else if (record.operator_shapes.empty()) {
    table::add_note(table, "no shapes were recorded: run with profile_shapes");
  } else {
    add_operator_rows(table, record.operator_shapes, profile, has);
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

}  // namespace

TableSpec operators() {
  return {.summary = "self and total time of each operator of a profiled run; --by shapes",
          .make = make_operators,
          .rows = record::Rows::without_steps,
          .answer = {9}};
}

}  // namespace epochcast::analysis::tables
