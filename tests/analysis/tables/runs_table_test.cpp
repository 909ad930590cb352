#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/table_parts/table_spec.hpp"
#include "tests/analysis/made_records.hpp"
#include "tests/analysis/table_parts.hpp"

namespace epochcast::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(RunsTable, GivesEveryRecordARowWhateverItsOutcome) {
  auto stopped = made_record({.epochs = 3});
  stopped.header.outcome = "stopped";
  stopped.header.outcome_text = "time limit";
  stopped.epochs.pop_back();
  auto tainted = made_record({.epochs = 1, .claimed_gpu = "t4"});
  tainted.header.tainted = "got 1 CPU, asked for 2";
  const auto tables = analysis::tables::all().at("runs").make(
      {loaded(stopped), loaded(tainted), {"nothing.h5", record::Record{}}}, {});
  const auto& table = part_of(tables, "runs");
  EXPECT_THAT(column_of(table, "outcome"), ElementsAre("stopped", "complete", "running"));
  EXPECT_THAT(column_of(table, "outcome_text"), ElementsAre("time limit", "", ""));
  EXPECT_THAT(column_of(table, "epochs_recorded"), ElementsAre("2", "1", "0"));
  EXPECT_THAT(column_of(table, "epochs"), ElementsAre("3", "1", ""));
  EXPECT_THAT(column_of(table, "total_s"), ElementsAre("", "11.0", ""));
  EXPECT_THAT(column_of(table, "tainted"), ElementsAre("", "got 1 CPU, asked for 2", ""));
  EXPECT_THAT(column_of(table, "device"), ElementsAre("cpu", "cpu (t4 claimed)", "cpu"));
}

TEST(RunsTable, ShowsTheParametersThatDifferAndWhatTheRunsReached) {
  std::vector<LoadedRecord> records;
  for (const auto& [rate, accuracy] : {std::pair{"0.1", 0.5}, {"0.01", 0.75}, {"1", 0.25}}) {
    auto record = made_record({});
    record.parameters.push_back(parameter_row("optimizer.learning_rate", rate));
    record.metrics.push_back({0, "val_accuracy", accuracy});
    records.push_back(loaded(record));
  }
  const auto tables = tables::all().at("runs").make(records, {});
  const auto& table = part_of(tables, "runs");
  EXPECT_THAT(column_of(table, "optimizer.learning_rate"), ElementsAre("0.1", "0.01", "1"));
  EXPECT_THAT(column_of(table, "best_accuracy"), ElementsAre("0.5000", "0.7500", "0.2500"));
  EXPECT_THAT(column_of(table, "model"), IsEmpty()) << "all runs have the same";
  EXPECT_THAT(column_of(tables::all().at("runs").make(records, {.by = {"model"}}).front(), "model"),
              ElementsAre("dcgan", "dcgan", "dcgan"));
}

TEST(RunsTable, NamesTheParametersThatDoNotFit) {
  std::vector<LoadedRecord> records;
  for (const std::string value : {"1", "2"}) {
    auto record = made_record({});
    for (int i = 0; i < 10; ++i) {
      record.parameters.push_back(parameter_row("model.option" + std::to_string(i), value));
    }
    records.push_back(loaded(record));
  }
  EXPECT_THAT(part_of(tables::all().at("runs").make(records, {}), "runs").notes,
              ElementsAre("2 more parameters differ (--by NAME shows one): model.option8, "
                          "model.option9"));
}

}  // namespace
}  // namespace epochcast::analysis
