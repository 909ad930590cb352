#include <gmock/gmock.h>

#include "analysis/table_parts/table_spec.hpp"
#include "src/record/outcome.hpp"
#include "tests/analysis/made_records.hpp"
#include "tests/analysis/table_parts.hpp"

namespace epochcast::analysis {
namespace {

using testing::HasSubstr;

LoadedRecord run_on(const std::string& host, double epoch_s, std::int64_t repeat,
                    const MadeRun& other = {}) {
  MadeRun run = other;
  run.epochs = 4;
  run.epoch_s = epoch_s;
  run.repeat = repeat;
  auto record = made_record(run);
  record.machines.front().host = host;
  record.header.job_id = host + "-" + std::to_string(repeat);
  return loaded(record);
}

std::vector<LoadedRecord> runs_on_two_nodes() {
  std::vector<LoadedRecord> records;
  for (const auto repeat : {0, 1, 2}) {
    records.push_back(run_on("t4-01", 10 + 0.1 * repeat, repeat));
    records.push_back(run_on("t4-02", 11 + 0.1 * repeat, repeat));
  }
  return records;
}

TEST(NodesTable, ComparesTheSameWorkByNode) {
  const auto tables = tables_of(tables::all().at("nodes"), runs_on_two_nodes(), {});
  ASSERT_EQ(tables.size(), 1U);
  EXPECT_EQ(column_of(tables[0], "node"), (std::vector<std::string>{"t4-01", "t4-02"}));
  EXPECT_THAT(column_of(tables[0], "longer_percent"), testing::ElementsAre("-9.0", "+9.9"));
  EXPECT_THAT(column_of(tables[0], "low_95_percent"), testing::ElementsAre("-10.9", "+7.6"));
}

TEST(NodesTable, LeavesDisturbedTimesOutAndCountsFailuresByCause) {
  auto records = runs_on_two_nodes();
  auto disturbed = disturbed_record({.epochs = 4, .repeat = 9});
  disturbed.machines.front().host = "t4-01";
  records.push_back(loaded(disturbed));
  auto lost = run_on("t4-02", 11, 5);
  record::set_outcome(lost.record.header, run::Outcome::lost, "NODE_FAIL",
                      run::FailureCause::node_failure);
  records.push_back(lost);
  const auto tables = tables_of(tables::all().at("nodes"), records, {});
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_EQ(column_of(tables[0], "attempts"), (std::vector<std::string>{"4", "4"}));
  EXPECT_EQ(column_of(tables[0], "compared"), (std::vector<std::string>{"3", "4"}));
  EXPECT_EQ(column_of(tables[0], "causes"), (std::vector<std::string>{"", "1 node_failure"}));
  EXPECT_THAT(column_of(tables[1], "reason").at(0),
              HasSubstr("time not compared: disturbed: another process"));
}

TEST(NodesTable, SeparatesRowsByAnAttribute) {
  auto records = runs_on_two_nodes();
  records.push_back(run_on("t4-02", 3, 0, {.batch = 512}));
  const auto tables = tables_of(tables::all().at("nodes"), records, {.by = {"batch"}});
  EXPECT_EQ(column_of(tables[0], "batch"), (std::vector<std::string>{"256", "256", "512"}));
}

}  // namespace
}  // namespace epochcast::analysis
