#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/table_parts/table_spec.hpp"
#include "tests/analysis/made_records.hpp"
#include "tests/analysis/table_parts.hpp"

namespace epochcast::analysis {
namespace {

using testing::ElementsAre;

TEST(RunsTable, GivesEveryRecordARowWhateverBecameOfIt) {
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

}  // namespace
}  // namespace epochcast::analysis
