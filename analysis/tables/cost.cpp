// What runs cost: CPU-hours, GPU-hours and node-hours always, money where the site's prices are
// known, energy where it was measured. Unfinished and failed runs cost too.
#include <fmt/format.h>

#include <map>
#include <tuple>

#include "analysis/records/record_cost.hpp"
#include "analysis/records/record_metrics.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/base/config/yaml.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/statistics.hpp"
#include "src/base/core/text.hpp"
#include "src/output/table/table.hpp"
#include "src/record/energy.hpp"
#include "src/record/outcome.hpp"

namespace epochcast::analysis::tables {
namespace {

using ProfilePrices = std::map<std::string, run::Prices>;

/// Runs that cost alike: never two currencies, never two prices in one row.
struct CostKey {
  std::string allocation;
  std::vector<std::string> by;
  std::string device;
  std::string source;
  run::Prices prices;
  auto operator<=>(const CostKey&) const = default;
};

/// A sum in which one unknown number makes the whole unknown.
class KnownSum {
 public:
  void add(const std::optional<double>& value) {
    sum_ += value.value_or(0);
    unknown_ += value ? 0 : 1;
  }
  table::Cell cell() const { return unknown_ > 0 ? table::Cell() : table::Cell(sum_); }
  std::size_t unknown() const { return unknown_; }

 private:
  double sum_ = 0;
  std::size_t unknown_ = 0;
};

struct CostSum {
  double runs = 0;
  double not_complete = 0;
  KnownSum wall_h;
  KnownSum cpu_hours;
  KnownSum gpu_hours;
  KnownSum node_hours;
  KnownSum money;
  KnownSum money_not_complete;
  double epochs = 0;
  std::vector<double> j_per_epoch;  ///< Of the runs in which it was measured.
  std::vector<double> j_per_sample;
  std::size_t without_energy = 0;
  std::size_t as_used = 0;  ///< Runs whose grant is not recorded.

  void add(const record::Record& record, const run::Prices& prices) {
    const auto usage = usage_of(record);
    const auto charged = money_of(usage, prices);
    const bool complete = record::outcome_of(record.header) == run::Outcome::complete;
    ++runs;
    not_complete += complete ? 0 : 1;
    wall_h.add(usage.wall_h);
    cpu_hours.add(usage.cpu_hours);
    gpu_hours.add(usage.gpu_hours);
    node_hours.add(usage.node_hours);
    money.add(charged);
    money_not_complete.add(complete && charged ? 0 : charged);
    epochs += static_cast<double>(record.epochs.size());
    as_used += usage.granted ? 0 : 1;
    const auto energy = run_energy(record);
    for (const auto& [of_run, values] :
         {std::pair{energy.j_per_epoch, &j_per_epoch}, {energy.j_per_sample, &j_per_sample}}) {
      if (of_run) {
        values->push_back(*of_run);
      }
    }
    without_energy += energy.j_per_epoch ? 0 : 1;
  }
};

table::Cell ratio_cell(double value, double of) {
  return of > 0 ? table::Cell(value / of) : table::Cell();
}

table::Cell text_cell(const std::string& text) {
  return text.empty() ? table::Cell() : table::Cell(text);
}

std::vector<table::Column> sum_columns() {
  return {table::number_column("runs", "runs", "", 0),
          table::number_column("not_complete", "not complete", "", 0),
          table::number_column("wall_h", "time", "h", 3),
          table::number_column("cpu_hours", "CPU-hours", "h", 3),
          table::number_column("gpu_hours", "GPU-hours", "h", 3),
          table::number_column("node_hours", "node-hours", "h", 3),
          table::text_column("currency", "currency"),
          table::number_column("money", "cost", "", 4),
          table::number_column("money_not_complete", "not complete runs' cost", "", 4)};
}

table::Row sum_cells(const CostSum& sum, const std::string& currency) {
  return {sum.runs,
          sum.not_complete,
          sum.wall_h.cell(),
          sum.cpu_hours.cell(),
          sum.gpu_hours.cell(),
          sum.node_hours.cell(),
          text_cell(currency),
          sum.money.cell(),
          sum.money_not_complete.cell()};
}

table::Table groups_table(const std::map<CostKey, CostSum>& sums,
                          const std::vector<std::string>& by) {
  auto rest = std::vector<table::Column>{table::text_column("device", "device"),
                                         table::text_column("source", "source")};
  const auto common = sum_columns();
  rest.insert(rest.end(), common.begin(), common.end());
  rest.insert(rest.end(), {table::number_column("money_per_epoch", "an epoch", "", 6),
                           table::number_column("energy_j_per_epoch", "energy an epoch", "J", 1),
                           table::number_column("energy_j_per_sample", "energy a sample", "J", 4),
                           table::text_column("prices", "prices")});
  table::Table table{
      .name = "cost",
      .title = "Cost of the runs",
      .columns = table::columns_by(table::text_column("allocation", "allocation"), by, rest)};
  for (const auto& [key, sum] : sums) {
    table::Row cells{key.device, key.source};
    const auto common_cells = sum_cells(sum, key.prices.currency);
    cells.insert(cells.end(), common_cells.begin(), common_cells.end());
    const auto money = sum.money.cell();
    const auto* known = std::get_if<double>(&money);
    cells.insert(cells.end(), {known == nullptr ? table::Cell() : ratio_cell(*known, sum.epochs),
                               table::median_cell(summarize(sum.j_per_epoch)),
                               table::median_cell(summarize(sum.j_per_sample)),
                               text_cell(price_text(key.prices))});
    table.rows.push_back(table::row_by(key.allocation, key.by, cells));
  }
  return table;
}

/// Why cells are empty, and what the numbers count.
void explain(table::Table& table, const std::map<CostKey, CostSum>& sums) {
  std::size_t unpriced = 0;
  std::size_t without_energy = 0;
  std::size_t unknown = 0;
  std::size_t as_used = 0;
  for (const auto& [key, sum] : sums) {
    unpriced += key.prices.any() ? 0 : static_cast<std::size_t>(sum.runs);
    without_energy += sum.without_energy;
    unknown += sum.cpu_hours.unknown();
    as_used += sum.as_used;
  }
  table::add_note(table,
                  "time: from the start of the program to its last recorded time; CPUs, GPUs and "
                  "nodes: what the job was granted, whether it used them or not");
  if (as_used > 0) {
    table::add_note(table, fmt::format("{}: what was granted is not recorded; counted is what the "
                                       "computation used",
                                       counted(as_used, "run")));
  }
  if (unknown > 0) {
    table::add_note(table, fmt::format("no CPU-hours: {} without a recorded time or number of CPUs",
                                       counted(unknown, "run")));
  }
  if (unpriced > 0) {
    table::add_note(table,
                    fmt::format("no cost: {} without prices (key 'prices' of the cluster profile, "
                                "or --cluster FILE)",
                                counted(unpriced, "run")));
  }
  if (without_energy > 0) {
    table::add_note(table, fmt::format("energy: the median over the runs; {} without a measurement "
                                       "of it (table energy says why)",
                                       counted(without_energy, "run")));
  }
}

/// Sums over all allocations; each currency by itself.
table::Table totals_table(const std::map<CostKey, CostSum>& sums,
                          const std::vector<LoadedRecord>& records,
                          const std::vector<CostKey>& keys) {
  std::map<std::string, CostSum> totals;
  for (std::size_t i = 0; i < records.size(); ++i) {
    totals[keys[i].prices.currency].add(records[i].record, keys[i].prices);
  }
  table::Table table{
      .name = "cost_total", .title = "Cost of all runs together", .columns = sum_columns()};
  if (sums.size() > 1) {
    for (const auto& [currency, sum] : totals) {
      table.rows.push_back(sum_cells(sum, currency));
    }
  }
  return table;
}

std::vector<table::Table> make(const std::vector<LoadedRecord>& records,
                               const TableOptions& options) {
  for (const auto& name : options.by) {
    require_attribute(records, name);
  }
  const auto profile = options.cluster.empty()
                           ? ProfilePrices{}
                           : run::prices_of_profile(run::yaml::parse_file(options.cluster));
  std::vector<CostKey> keys;
  std::map<CostKey, CostSum> sums;
  for (const auto& loaded : records) {
    const auto& record = loaded.record;
    const auto allocation = record.header.allocation.str();
    const auto given = profile.find(allocation);
    keys.push_back({.allocation = allocation,
                    .by = attributes(record, options.by),
                    .device = device_of(record),
                    .source = record.header.source.str(),
                    .prices = given == profile.end() ? prices_of(record) : given->second});
    sums[keys.back()].add(record, keys.back().prices);
  }
  auto table = groups_table(sums, options.by);
  explain(table, sums);
  std::vector<table::Table> tables{std::move(table)};
  if (auto totals = totals_table(sums, records, keys); !totals.rows.empty()) {
    tables.push_back(std::move(totals));
  }
  return tables;
}

}  // namespace

TableSpec cost() {
  return {.summary = "CPU-hours, GPU-hours, money where prices are known, energy where measured",
          .make = make,
          .rows = record::Rows::without_steps,
          .keeps_disturbed = true,
          .takes_cluster = true};
}

}  // namespace epochcast::analysis::tables
