// Energy of an epoch and of a sample, one row per record; empty where nothing measured it.
#include "src/record/energy.hpp"

#include <algorithm>

#include "analysis/records/record_metrics.hpp"
#include "analysis/records/varied.hpp"
#include "analysis/table_parts/table_spec.hpp"

namespace epochcast::analysis::tables {
namespace energy_table {

using record::RunEnergy;

struct EnergyRow {
  const LoadedRecord* loaded;
  RunEnergy energy;
};

std::vector<table::Table> make_energy(const std::vector<LoadedRecord>& records,
                                      const TableOptions& options) {
  require_attributes(records, options.by);
  const table::Columns<RunEnergy> measured{
      {"epochs_measured", "epochs", "", 0, &RunEnergy::epochs},
      {"cpu_j_per_epoch", "CPUs an epoch", "J", 1, &RunEnergy::cpu_j_per_epoch},
      {"gpu_j_per_epoch", "GPUs an epoch", "J", 1, &RunEnergy::gpu_j_per_epoch},
      {"j_per_epoch", "an epoch", "J", 1, &RunEnergy::j_per_epoch},
      {"j_per_sample", "a sample", "J", 4, &RunEnergy::j_per_sample},
      {"mean_w", "power", "W", 1, &RunEnergy::mean_w}};
  std::vector<EnergyRow> rows;
  for (const auto& loaded : records) {
    rows.push_back({&loaded, run_energy(loaded.record)});
  }
  table::Columns<EnergyRow> columns;
  columns.add(record_columns(options.by), &EnergyRow::loaded)
      .add({"device", "device", [](const auto& row) { return device_of(row.loaded->record); }})
      .add(measured, &EnergyRow::energy);
  auto table = table::make_table("energy", "Energy of an epoch", columns, rows);
  table::add_note(
      table,
      "median over the epochs, with evaluation and checkpoint; CPUs: packages and memory "
      "of the whole nodes (RAPL), whoever used them; GPUs: those of the run (NVML)");
  if (!std::ranges::all_of(rows,
                           [](const auto& row) { return row.energy.j_per_epoch.has_value(); })) {
    table::add_note(table,
                    "empty: not measured. RAPL needs a physical machine and the right to read "
                    "/sys/class/powercap; NVML needs the driver of the GPU");
  }
  return {table};
}

}  // namespace energy_table

TableSpec energy() {
  return {.summary = "energy of an epoch and of a sample, where it was measured",
          .make = energy_table::make_energy,
          .rows = record::Rows::without_steps,
          .keeps_disturbed = true};
}

}  // namespace epochcast::analysis::tables
