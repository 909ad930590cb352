#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/records/record_metrics.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/output/table/table.hpp"
#include "tests/analysis/made_records.hpp"
#include "tests/analysis/table_parts.hpp"

namespace epochcast::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Epochs of 10 s (the first 11) and 2 s of evaluation, with these accuracies; target 0.7 twice.
LoadedRecord with_accuracies(const std::vector<double>& accuracies, std::int64_t repeat = 0,
                             const std::string& outcome = "complete") {
  auto record =
      made_record({.epochs = static_cast<std::int64_t>(accuracies.size()), .repeat = repeat});
  record.header.outcome = outcome;
  record.parameters.push_back(parameter_row("target_accuracy", "0.7"));
  record.parameters.push_back(parameter_row("patience", "2"));
  for (auto& row : record.parameters) {
    if (row.name == "epochs") {
      row.value = "10";
    }
  }
  for (std::size_t i = 0; i < accuracies.size(); ++i) {
    auto& epoch = record.epochs[i];
    epoch.evaluate_s = 2;
    epoch.start_s += 2 * static_cast<double>(i);
    record.metrics.push_back({epoch.epoch, "val_accuracy", accuracies[i]});
  }
  return loaded(record);
}

std::vector<table::Table> target_tables(const std::vector<LoadedRecord>& records) {
  return tables::all().at("time_to_accuracy").make(records, {});
}

TEST(TimeToAccuracy, StopsTheClockAfterTheEpochThatCompletesThePatience) {
  const auto tables = target_tables({with_accuracies({0.5, 0.75, 0.6, 0.7, 0.8})});
  const auto& table = part_of(tables, "time_to_accuracy");
  EXPECT_THAT(column_of(table, "reached"), ElementsAre("1"));
  EXPECT_THAT(column_of(table, "epochs"), ElementsAre("5.0"));
  EXPECT_THAT(column_of(table, "training_s"), ElementsAre("51.0"));
  EXPECT_THAT(column_of(table, "wall_s"), ElementsAre("61.0"));
}

TEST(TimeToAccuracy, TakesTheMedianOverSeeds) {
  const auto tables =
      target_tables({with_accuracies({0.7, 0.7}, 0), with_accuracies({0, 0.7, 0.7}, 1),
                     with_accuracies({0, 0, 0, 0.7, 0.7}, 2)});
  const auto& table = part_of(tables, "time_to_accuracy");
  EXPECT_THAT(column_of(table, "runs"), ElementsAre("3"));
  EXPECT_THAT(column_of(table, "epochs"), ElementsAre("3.0"));
  EXPECT_THAT(column_of(table, "training_s"), ElementsAre("31.0"));
  EXPECT_THAT(column_of(table, "training_spread_s"), ElementsAre("30.0"));
}

TEST(TimeToAccuracy, ShowsRunsThatDidNotReachItAndCountsThemAsLonger) {
  const auto tables =
      target_tables({with_accuracies({0.7, 0.7}, 0), with_accuracies({0, 0, 0.69}, 1, "stopped"),
                     with_accuracies({0, 0.7, 0.7}, 2)});
  const auto& table = part_of(tables, "time_to_accuracy");
  EXPECT_THAT(column_of(table, "reached"), ElementsAre("2"));
  EXPECT_THAT(column_of(table, "epochs"), ElementsAre("3.0"));  // 2, 3, longer
  const auto& runs = part_of(tables, "runs");
  EXPECT_THAT(column_of(runs, "reached"), ElementsAre("yes", "no", "yes"));
  EXPECT_THAT(column_of(runs, "epochs"), ElementsAre("2", "3", "3"));
  EXPECT_THAT(column_of(runs, "best_accuracy"), ElementsAre("0.7000", "0.6900", "0.7000"));
}

TEST(TimeToAccuracy, NeverTakesAnEvaluationWithinAnUnfinishedEpochForTheBest) {
  auto run = with_accuracies({0.5, 0.6}, 0, "stopped");
  run.record.metrics.push_back({2, "val_accuracy", 0.65, 3});
  EXPECT_THAT(column_of(part_of(target_tables({run}), "runs"), "best_accuracy"),
              ElementsAre("0.6000"));
}

TEST(TimeToAccuracy, HasNoMedianWhereHalfOfTheRunsDidNotReachIt) {
  const auto tables =
      target_tables({with_accuracies({0.7, 0.7}, 0), with_accuracies({0.1, 0.1}, 1)});
  EXPECT_THAT(column_of(part_of(tables, "time_to_accuracy"), "epochs"), ElementsAre(""));
}

TEST(TimeToAccuracy, ReportsWhichRunsItCannotCount) {
  auto aimless = made_record({});
  const auto tables = target_tables(
      {loaded(aimless), with_accuracies({}, 1), with_accuracies({0.7, 0.7}, 2, "failed")});
  EXPECT_THAT(column_of(part_of(tables, "excluded"), "reason"),
              ElementsAre("had no target accuracy", "none of its epochs was evaluated", "failed"));
  EXPECT_THAT(part_of(tables, "time_to_accuracy").rows, IsEmpty());
}

TEST(RecordMetrics, ARunThatEndedOnItsTargetHoldsAllOfItsEpochs) {
  EXPECT_TRUE(total_training_s(with_accuracies({0.1, 0.7, 0.7}).record).has_value());
  EXPECT_FALSE(total_training_s(with_accuracies({0.1, 0.7, 0.6}).record).has_value());
}

}  // namespace
}  // namespace epochcast::analysis
