#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/records/record_cost.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "tests/analysis/made_records.hpp"
#include "tests/analysis/program.hpp"
#include "tests/analysis/table_parts.hpp"
#include "tests/csv_rows.hpp"

namespace epochcast::analysis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// A run of an hour on 4 CPUs and a GPU of 2 tasks, as the request says that Slurm did not answer.
record::Record hour_run(const std::string& allocation = "t4") {
  auto record = made_record({.allocation = allocation});
  record.epochs.front().wall_s = 3600;
  record.allocation = {
      {"cpus", "4", "", ""}, {"gpus", "1", "", ""}, {"tasks_per_node", "2", "", ""}};
  return record;
}

void set_price(record::Record& record, const std::string& currency, const std::string& cpu,
               const std::string& gpu) {
  record.allocation.push_back({"price_currency", currency, "", ""});
  record.allocation.push_back({"price_cpu_hour", cpu, "", ""});
  record.allocation.push_back({"price_gpu_hour", gpu, "", ""});
}

std::vector<table::Table> cost_of(const std::vector<record::Record>& records,
                                  const TableOptions& options = {}) {
  std::vector<LoadedRecord> all;
  for (const auto& record : records) {
    all.push_back(loaded(record));
  }
  return tables::all().at("cost").make(all, options);
}

TEST(CostTable, CountsHoursOfWhatWasGranted) {
  auto slurm = hour_run("slurm");  // Slurm's answer: more CPUs than asked, GPUs of the whole job
  slurm.allocation = {{"nodes", "2", "2", ""},
                      {"cpus", "4", "4", ""},
                      {"cpus_of_job", "8", "10", ""},
                      {"gpus", "2", "2", ""}};
  auto by_hand = hour_run("hand");
  by_hand.allocation.clear();
  const auto table = cost_of({hour_run(), slurm, by_hand}).front();
  EXPECT_THAT(column_of(table, "allocation"), ElementsAre("hand", "slurm", "t4"));
  EXPECT_THAT(column_of(table, "cpu_hours"), ElementsAre("2.000", "10.000", "8.000"));
  EXPECT_THAT(column_of(table, "gpu_hours"), ElementsAre("0.000", "2.000", "2.000"));
  EXPECT_THAT(column_of(table, "node_hours"), ElementsAre("1.000", "2.000", "1.000"));
  EXPECT_THAT(table.notes, testing::Contains(HasSubstr("1 run: what was granted is not recorded")));
}

TEST(CostTable, APointOfAJobOfSeveralHasItsShareOfTheNode) {
  auto packed = hour_run();
  packed.allocation.push_back({"points_at_once", "", "4", ""});
  EXPECT_THAT(column_of(cost_of({packed}).front(), "node_hours"), ElementsAre("0.250"));
}

TEST(CostTable, HasMoneyOnlyWhereAPriceIsKnown) {
  auto priced = hour_run("priced");
  set_price(priced, "EUR", "0.01", "0.5");
  const auto tables = cost_of({priced, hour_run("unpriced")});
  const auto& table = tables.front();
  EXPECT_THAT(column_of(table, "money"), ElementsAre("1.0800", ""));  // 8 x 0.01 + 2 x 0.5
  EXPECT_THAT(column_of(table, "currency"), ElementsAre("EUR", ""));
  EXPECT_THAT(column_of(table, "prices"),
              ElementsAre("0.01 EUR a CPU-hour, 0.5 EUR a GPU-hour", ""));
  EXPECT_THAT(table.notes, testing::Contains(HasSubstr("no cost: 1 run without prices")));
  EXPECT_THAT(column_of(part_of(tables, "cost_total"), "money"), ElementsAre("", "1.0800"));
}

TEST(CostTable, NeverAddsTwoCurrenciesOrPrices) {
  auto euro = hour_run();
  set_price(euro, "EUR", "0.01", "0.5");
  auto dearer = hour_run();
  set_price(dearer, "EUR", "0.02", "0.5");
  auto units = hour_run();
  set_price(units, "SU", "1", "10");
  const auto tables = cost_of({euro, dearer, units});
  EXPECT_THAT(column_of(tables.front(), "money"), ElementsAre("1.0800", "1.1600", "28.0000"));
  EXPECT_THAT(column_of(part_of(tables, "cost_total"), "currency"), ElementsAre("EUR", "SU"));
  EXPECT_THAT(column_of(part_of(tables, "cost_total"), "money"), ElementsAre("2.2400", "28.0000"));
}

TEST(CostTable, FailedRunsCostToo) {
  auto failed = hour_run();
  failed.header.outcome = "failed";
  set_price(failed, "EUR", "0.01", "0.5");
  auto good = hour_run();
  set_price(good, "EUR", "0.01", "0.5");
  const auto table = cost_of({failed, good}).front();
  EXPECT_THAT(column_of(table, "not_complete"), ElementsAre("1"));
  EXPECT_THAT(column_of(table, "money"), ElementsAre("2.1600"));
  EXPECT_THAT(column_of(table, "money_not_complete"), ElementsAre("1.0800"));
}

TEST(CostTable, UnknownTimeAndEnergyAreEmptyWithTheReason) {
  auto record = hour_run();
  record.epochs.clear();
  record.spans.clear();
  set_price(record, "EUR", "0.01", "0.5");
  const auto table = cost_of({record}).front();
  EXPECT_THAT(column_of(table, "cpu_hours"), ElementsAre(""));
  EXPECT_THAT(column_of(table, "money"), ElementsAre(""));
  EXPECT_THAT(column_of(table, "energy_j_per_epoch"), ElementsAre(""));
  EXPECT_THAT(table.notes, testing::Contains(HasSubstr("no CPU-hours: 1 run")));
  EXPECT_THAT(table.notes, testing::Contains(HasSubstr("1 run without a measurement")));
}

TEST(CostTable, APriceThatIsNoneIsLeftOut) {
  auto record = hour_run();
  set_price(record, "EUR", "cheap", "-1");
  EXPECT_FALSE(prices_of(record).any());
  EXPECT_THAT(column_of(cost_of({record}).front(), "money"), ElementsAre(""));
}

class CostProgram : public Program {};

TEST_F(CostProgram, TakesThePricesOfAProfile) {
  const auto profile = folder_ / "site.yaml";
  set_bytes(profile,
            "scheduler: slurm\ndefaults: {prices: {currency: EUR, cpu_hour: 3600}}\n"
            "allocations: {cpu2: {cpus: 2, memory: 1G, time: 1h}}\n");
  const auto result = analyze({"table", "cost", good(), "--cluster", profile, "--format", "csv"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("3600 EUR a CPU-hour"));
  EXPECT_EQ(csv_rows(result.out).at(0).at("currency"), "EUR");
  EXPECT_EQ(csv_rows(result.out).at(0).at("money"), "124.0000");  // 11 + 51 s on 2 CPUs
}

TEST_F(CostProgram, RefusesAProfileThatIsNoneAndTablesThatNeedNone) {
  set_bytes(folder_ / "site.yaml", "allocations: {cpu2: {prices: {cpu_hour: 1}}}\n");
  auto result = analyze({"table", "cost", good(), "--cluster", folder_ / "site.yaml"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("currency is missing"));
  result = analyze({"table", "runs", good(), "--cluster", folder_ / "site.yaml"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("--cluster: goes with table cost"));
}

}  // namespace
}  // namespace epochcast::analysis
