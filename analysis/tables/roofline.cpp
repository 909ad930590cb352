// What each operator of a profile achieves against what its device can do: FLOP and bytes a second,
// and which of the two limits it.
#include "src/measure/operators/roofline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/records/record_metrics.hpp"
#include "analysis/records/recorded_step.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/device/match.hpp"
#include "src/forecast/device/rates.hpp"
#include "src/output/table/make_table.hpp"

namespace epochcast::analysis::tables {
namespace roofline_table {

/// A device and the rates that the table compares with.
struct RoofOfDevice {
  std::string label;
  operators::Roof roof;
  std::vector<std::string> notes = {};
};

/// A file of measure-device, or the device of the database that `options` or the record names.
device::Device roof_device(const LoadedRecord& loaded, const TableOptions& options,
                           const std::vector<device::Device>& database,
                           std::vector<std::string>& notes) {
  if (options.device.ends_with(".yaml")) {
    return device::read_device(options.device);
  }
  if (options.device.empty() && !used_gpu(loaded.record)) {
    throw Error(
        fmt::format("{}: was made on a CPU, and the device database has no CPUs; give --device "
                    "FILE, made by epochcast-train measure-device on that machine",
                    loaded.path));
  }
  const auto match = device::match_device(
      database,
      options.device.empty() ? gpu_of(loaded.record) : device::GpuTraits{.name = options.device});
  if (match.device == nullptr) {
    throw Error(fmt::format("{}: {}; give --device, a device or a file of measure-device",
                            loaded.path, match.remark));
  }
  notes.push_back(match.remark);
  return *match.device;
}

RoofOfDevice roof_of(const LoadedRecord& loaded, const TableOptions& options) {
  const auto database = device::read_device_database(device::device_database_folder());
  RoofOfDevice found;
  const auto device = roof_device(loaded, options, database, found.notes);
  const auto precision =
      loaded.record.work.empty() ? "" : loaded.record.work.front().precision.str();
  auto rates = device::achieved_rates(device, precision);
  if (!rates) {
    rates = device::specified_rates(device, precision, database);
    found.notes.emplace_back("the rates are those of the datasheet: nothing was measured on it");
  }
  if (!rates) {
    throw Error(
        fmt::format("{}: no rates of {} are known; measure it with epochcast-train measure-device",
                    device.label, precision));
  }
  if (const auto names = device::unchecked_figures(device); !names.empty()) {
    found.notes.push_back(fmt::format("not checked: {} of {}", join(names, ", "), device.label));
  }
  found.label = device.label;
  found.roof = {rates->product_flop_s, rates->convolution_flop_s, rates->byte_s};
  found.notes.push_back(fmt::format(
      "{}: {:.4g} GFLOP/s of products, {:.4g} of convolutions, {:.4g} GB/s", device.label,
      rates->product_flop_s / 1e9,
      (rates->convolution_flop_s > 0 ? rates->convolution_flop_s : rates->product_flop_s) / 1e9,
      rates->byte_s / 1e9));
  return found;
}

/// The whole time of the profiled steps: on the host, or of the kernels where there are any.
double profiled_s(const record::Profile& profile) {
  return profile.self_device_s > 0 ? profile.self_device_s : profile.wall_s;
}

std::vector<record::Operator> rows_with_work(const record::Record& record) {
  auto rows = selected(record.operators, [](const auto& row) {
    return row.work_s > 0 && (row.flops > 0 || row.bytes > 0);
  });
  std::ranges::stable_sort(rows, std::greater{}, &record::Operator::work_s);
  return rows;
}

/// Says what bounds the run.
std::string bound_text(const std::vector<record::Operator>& rows, const record::Profile& profile,
                       const operators::Roof& roof) {
  std::array<double, 3> by_limit{};
  double counted_s = 0;
  double least_s = 0;
  for (const auto& row : rows) {
    const auto placed = operators::on_roof(row, roof);
    by_limit[static_cast<std::size_t>(placed.limit)] += row.work_s;
    counted_s += row.work_s;
    least_s += std::min(placed.least_s, row.work_s);
  }
  const double whole_s = profiled_s(profile);
  const auto share = [&](operators::Limit limit) {
    return 100 * by_limit[static_cast<std::size_t>(limit)] / whole_s;
  };
  return fmt::format(
      "of the profiled time, operators limited by arithmetic took {:.1f} %, by memory {:.1f} %, by "
      "neither {:.1f} %; {:.1f} % is in no operator with counted work. At the roof all of it would "
      "take {:.1f} %",
      share(operators::Limit::arithmetic), share(operators::Limit::memory),
      share(operators::Limit::neither), 100 * (whole_s - counted_s) / whole_s,
      100 * (least_s + whole_s - counted_s) / whole_s);
}

/// An operator and what it achieves.
struct PlacedOperator {
  const record::Operator* row;
  operators::OnRoof placed;

  bool has_intensity() const { return row->flops > 0 && row->bytes > 0; }
  double flop_per_byte() const { return row->flops / row->bytes; }
  double gflop_s() const { return placed.flop_s / 1e9; }
  double gb_s() const { return placed.byte_s / 1e9; }
  double roof_gflop_s() const { return row->flops / placed.least_s / 1e9; }
};

std::vector<PlacedOperator> placed_operators(const std::vector<record::Operator>& rows,
                                             const operators::Roof& roof) {
  return mapped(rows, [&](const auto& row) {
    return PlacedOperator{&row, operators::on_roof(row, roof)};
  });
}

table::Table roofline_table(const LoadedRecord& loaded, const std::vector<record::Operator>& rows,
                            const RoofOfDevice& device) {
  const auto& profile = loaded.record.profile.front();
  const table::Columns<PlacedOperator> columns{
      {"name", "Name", [](const auto& one) { return one.row->name; }},
      {"calls", "calls", "", 0, [](const auto& one) { return one.row->calls; }},
      {table::scaled_time_column("work_s", "time"),
       [](const auto& one) { return one.row->work_s; }},
      {"time_percent", "of time", "%", 1,
       [whole_s = profiled_s(profile)](const auto& one) {
         return table::percent_cell(one.row->work_s, whole_s);
       }},
      {"gflop_s", "achieved", "GFLOP/s", 2,
       [](const auto& one) { return table::positive_cell(one.gflop_s()); }},
      {"gb_s", "achieved", "GB/s", 2, &PlacedOperator::gb_s},
      {"flop_per_byte", "intensity", "FLOP/B", 2,
       [](const auto& one) {
         return one.has_intensity() ? table::Cell(one.flop_per_byte()) : table::Cell();
       }},
      {"limit", "limited by", [](const auto& one) { return operators::to_text(one.placed.limit); }},
      {"roof_percent", "of roof", "%", 1,
       [](const auto& one) { return table::percent_cell(one.placed.least_s, one.row->work_s); }}};
  auto table = table::make_table("roofline",
                                 fmt::format("{}: operators of {} against {}", loaded.path,
                                             workload_of(loaded.record), device.label),
                                 columns, placed_operators(rows, device.roof));
  table::add_note(table, bound_text(rows, profile, device.roof));
  for (const auto& note : device.notes) {
    table::add_note(table, note);
  }
  table::add_note(table,
                  "bytes are those of the tensors, as if there were no cache. Above 100 % of the "
                  "roof: the data came from a cache, or the device was measured while it was busy. "
                  "neither: both limits allow more than 10 times the speed");
  return table;
}

/// What the picture shows: the operators with counted FLOP, below their roof.
table::Table roof_plot(const std::vector<record::Operator>& rows, const RoofOfDevice& device) {
  auto placed = placed_operators(rows, device.roof);
  std::erase_if(placed, [](const auto& one) { return !one.has_intensity(); });
  std::ranges::stable_sort(placed, {}, &PlacedOperator::flop_per_byte);
  const table::Columns<PlacedOperator> columns{
      {"name", "Name", [](const auto& one) { return one.row->name; }},
      {"flop_per_byte", "FLOP/B", "FLOP/B", 3, &PlacedOperator::flop_per_byte},
      {"gflop_s", "achieved", "GFLOP/s", 3, &PlacedOperator::gflop_s},
      {"roof_gflop_s", "roof", "GFLOP/s", 3, &PlacedOperator::roof_gflop_s}};
  return table::make_table("roofline_plot",
                           "Achieved FLOP/s by intensity, below the roof of " + device.label,
                           columns, placed);
}

std::vector<table::Table> make_roofline(const std::vector<LoadedRecord>& records,
                                        const TableOptions& options) {
  std::vector<table::Table> tables;
  std::size_t without = 0;
  for (const auto& loaded : records) {
    const auto rows = rows_with_work(loaded.record);
    if (loaded.record.profile.empty() || rows.empty()) {
      ++without;
      continue;
    }
    const auto device = roof_of(loaded, options);
    const auto suffix = tables.empty() ? "" : fmt::format("_{}", tables.size() / 2 + 1);
    tables.push_back(roofline_table(loaded, rows, device));
    tables.back().name += suffix;
    tables.push_back(roof_plot(rows, device));
    tables.back().name += suffix;
  }
  if (tables.empty()) {
    throw Error("no record holds counted operators: run with profile=N and profile_flops=true",
                exit_failed);
  }
  if (without > 0) {
    table::add_note(tables.front(), fmt::format("records without counted operators: {}", without));
  }
  return tables;
}

}  // namespace roofline_table

TableSpec roofline() {
  return {
      .summary = "what each operator achieves against its device (--device), and what limits it",
      .make = roofline_table::make_roofline,
      .rows = record::Rows::without_steps};
}

}  // namespace epochcast::analysis::tables
