// Energy of an epoch and of a sample, one row per record; empty where nothing measured it.
#include "src/record/energy.hpp"

#include <fmt/format.h>

#include "analysis/records/record_metrics.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/output/table/table.hpp"

namespace epochcast::analysis::tables {
namespace {

table::Row energy_row(const LoadedRecord& loaded, const TableOptions& options) {
  const auto energy = run_energy(loaded.record);
  return table::row_by(loaded.path, attributes(loaded.record, options.by),
                       {loaded.record.header.allocation.str(), device_of(loaded.record),
                        static_cast<double>(energy.epochs), table::cell_of(energy.cpu_j_per_epoch),
                        table::cell_of(energy.gpu_j_per_epoch), table::cell_of(energy.j_per_epoch),
                        table::cell_of(energy.j_per_sample), table::cell_of(energy.mean_w)});
}

std::vector<table::Table> make_energy(const std::vector<LoadedRecord>& records,
                                      const TableOptions& options) {
  for (const auto& name : options.by) {
    require_attribute(records, name);
  }
  table::Table table{
      .name = "energy",
      .title = "Energy of an epoch",
      .columns = table::columns_by(
          table::text_column("record", "record"), options.by,
          {table::text_column("allocation", "allocation"), table::text_column("device", "device"),
           table::number_column("epochs_measured", "epochs", "", 0),
           table::number_column("cpu_j_per_epoch", "CPUs an epoch", "J", 1),
           table::number_column("gpu_j_per_epoch", "GPUs an epoch", "J", 1),
           table::number_column("j_per_epoch", "an epoch", "J", 1),
           table::number_column("j_per_sample", "a sample", "J", 4),
           table::number_column("mean_w", "power", "W", 1)})};
  bool all = true;
  for (const auto& loaded : records) {
    table.rows.push_back(energy_row(loaded, options));
    all = all && run_energy(loaded.record).j_per_epoch.has_value();
  }
  table::add_note(
      table,
      "median over the epochs, with evaluation and checkpoint; CPUs: packages and memory "
      "of the whole nodes (RAPL), whoever used them; GPUs: those of the run (NVML)");
  if (!all) {
    table::add_note(table,
                    "empty: not measured. RAPL needs a physical machine and the right to read "
                    "/sys/class/powercap; NVML needs the driver of the GPU");
  }
  return {table};
}

}  // namespace

TableSpec energy() {
  return {.summary = "energy of an epoch and of a sample, where it was measured",
          .make = make_energy,
          .rows = record::Rows::without_steps,
          .keeps_disturbed = true};
}

}  // namespace epochcast::analysis::tables
