// What runs cost: CPU-hours, GPU-hours and node-hours always, money where the site's prices are
// known, energy where it was measured. Unfinished and failed runs cost too.
#include <fmt/format.h>

#include <map>

#include "analysis/records/record_cost.hpp"
#include "analysis/records/record_metrics.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/base/config/yaml.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/statistics.hpp"
#include "src/base/core/text.hpp"
#include "src/output/table/make_table.hpp"
#include "src/record/energy.hpp"
#include "src/record/outcome.hpp"

namespace epochcast::analysis::tables {
namespace cost_table {

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
  std::optional<double> value() const { return unknown_ > 0 ? std::nullopt : std::optional(sum_); }
  std::size_t unknown() const { return unknown_; }

 private:
  double sum_ = 0;
  std::size_t unknown_ = 0;
};

struct CostSum {
  std::string currency;
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
    currency = prices.currency;
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

template <KnownSum CostSum::*sum>
std::optional<double> known_sum(const CostSum& row) {
  return (row.*sum).value();
}

table::Columns<CostSum> sum_columns() {
  return {{"runs", "runs", "", 0, &CostSum::runs},
          {"not_complete", "not complete", "", 0, &CostSum::not_complete},
          {"wall_h", "time", "h", 3, known_sum<&CostSum::wall_h>},
          {"cpu_hours", "CPU-hours", "h", 3, known_sum<&CostSum::cpu_hours>},
          {"gpu_hours", "GPU-hours", "h", 3, known_sum<&CostSum::gpu_hours>},
          {"node_hours", "node-hours", "h", 3, known_sum<&CostSum::node_hours>},
          {"currency", "currency", [](const auto& sum) { return table::text_cell(sum.currency); }},
          {"money", "cost", "", 4, known_sum<&CostSum::money>},
          {"money_not_complete", "not complete runs' cost", "", 4,
           known_sum<&CostSum::money_not_complete>}};
}

table::Columns<CostKey> key_columns(const std::vector<std::string>& by) {
  table::Columns<CostKey> columns{{"allocation", "allocation", &CostKey::allocation}};
  return columns.add_each(by, &CostKey::by)
      .add({{"device", "device", &CostKey::device}, {"source", "source", &CostKey::source}});
}

table::Table groups_table(const std::map<CostKey, CostSum>& sums,
                          const std::vector<std::string>& by) {
  using Group = std::pair<const CostKey, CostSum>;
  const table::Columns<CostSum> of_work{
      {"money_per_epoch", "an epoch", "", 6,
       [](const auto& sum) {
         const auto money = sum.money.value();
         return money ? table::ratio_cell(*money, sum.epochs) : table::Cell();
       }},
      {"energy_j_per_epoch", "energy an epoch", "J", 1,
       [](const auto& sum) { return table::median_cell(summarize(sum.j_per_epoch)); }},
      {"energy_j_per_sample", "energy a sample", "J", 4,
       [](const auto& sum) { return table::median_cell(summarize(sum.j_per_sample)); }}};
  table::Columns<Group> columns;
  columns.add(key_columns(by), &Group::first)
      .add(sum_columns(), &Group::second)
      .add(of_work, &Group::second)
      .add({"prices", "prices",
            [](const auto& group) { return table::text_cell(price_text(group.first.prices)); }});
  return table::make_table("cost", "Cost of the runs", columns, sums);
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
table::Table totals_table(const std::vector<LoadedRecord>& records,
                          const std::vector<CostKey>& keys) {
  std::map<std::string, CostSum> totals;
  for (std::size_t i = 0; i < records.size(); ++i) {
    totals[keys[i].prices.currency].add(records[i].record, keys[i].prices);
  }
  const auto rows = mapped(totals, [](const auto& total) { return total.second; });
  return table::make_table("cost_total", "Cost of all runs together", sum_columns(), rows);
}

std::vector<table::Table> make(const std::vector<LoadedRecord>& records,
                               const TableOptions& options) {
  require_attributes(records, options.by);
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
  if (sums.size() > 1) {
    tables.push_back(totals_table(records, keys));
  }
  return tables;
}

}  // namespace cost_table

TableSpec cost() {
  return {.summary = "CPU-hours, GPU-hours, money where prices are known, energy where measured",
          .make = cost_table::make,
          .rows = record::Rows::without_steps,
          .keeps_disturbed = true,
          .own_options = {"cluster"}};
}

}  // namespace epochcast::analysis::tables
