#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/table_parts/table_spec.hpp"
#include "src/base/core/error.hpp"
#include "tests/analysis/made_records.hpp"
#include "tests/analysis/program.hpp"
#include "tests/analysis/table_parts.hpp"

namespace epochcast::analysis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

record::Record compared_run(const std::string& host, double epoch_s, std::int64_t repeat = 0,
                            std::int64_t batch = 256) {
  auto record = made_record({.epochs = 6, .repeat = repeat, .epoch_s = epoch_s, .batch = batch});
  record.machines.front().host = host;
  return record;
}

class CompareTable : public testing::Test {
 protected:
  std::string folder(const std::string& name, const std::vector<record::Record>& records) {
    write_records(records, folder_ / name);
    return folder_ / name;
  }
  static std::vector<table::Table> compared(const TableOptions& options,
                                            const std::vector<std::string>& files = {}) {
    return tables::all().at("compare").of_files(files, options);
  }
  TemporaryFolder folder_;
};

TEST_F(CompareTable, ComparesTheSameWorkInTwoFolders) {
  const auto base = folder("base", {compared_run("node1", 10), compared_run("node1", 10, 1)});
  const auto slower = folder("new", {compared_run("node2", 10.5), compared_run("node2", 10.5, 1)});
  const auto tables = compared({.base = {base}, .changed = {slower}});
  EXPECT_THAT(column_of(tables[0], "verdict"), ElementsAre("slower"));
  EXPECT_THAT(column_of(tables[0], "change_percent"), ElementsAre("+5.00"));
  EXPECT_THAT(column_of(tables[0], "unit"), ElementsAre("epoch"));
  EXPECT_THAT(column_of(tables[1], "what"), ElementsAre("node"));
  EXPECT_THAT(column_of(tables[1], "new"), ElementsAre("node2"));
  const auto same = compared({.base = {base}, .changed = {base}});
  EXPECT_THAT(column_of(same[0], "verdict"), ElementsAre("same within 1 %"));
  EXPECT_EQ(same.size(), 1U);
}

TEST_F(CompareTable, SeesNoChangeWhereOnlyTheHostRanFurtherAhead) {
  const auto bounded = folder("bounded", {queued_record({.queue = 2})});
  const auto ahead = folder("ahead", {queued_record({.queue = 1000})});
  const auto tables = compared({.base = {bounded}, .changed = {ahead}});
  EXPECT_THAT(column_of(tables[0], "unit"), ElementsAre("step"));
  EXPECT_THAT(column_of(tables[0], "verdict"), ElementsAre("same within 1 %"));
}

TEST_F(CompareTable, ComparesRecordsThatObeyTwoConditions) {
  const auto all = folder("all", {compared_run("node1", 10), compared_run("node2", 9, 1)});
  const auto tables = compared({.base = {"host=node1"}, .changed = {"host=node2"}}, {all});
  EXPECT_THAT(column_of(tables[0], "verdict"), ElementsAre("faster"));
}

TEST_F(CompareTable, LeavesOutRunsWhoseTimesSayNothing) {
  auto tainted = compared_run("node1", 20, 2);
  tainted.header.tainted = "beside another job";
  const auto base = folder("base", {compared_run("node1", 10)});
  const auto changed = folder("new", {compared_run("node1", 10), tainted});
  const auto tables = compared({.base = {base}, .changed = {changed}});
  EXPECT_THAT(column_of(tables[0], "new_runs"), ElementsAre("1"));
  EXPECT_THAT(column_of(tables.back(), "reason"), ElementsAre("tainted: beside another job"));
}

TEST_F(CompareTable, RefusesOtherWorkAndNamesWhatDiffers) {
  const auto base = folder("base", {compared_run("node1", 10)});
  const auto other = folder("new", {compared_run("node1", 10, 0, 128)});
  try {
    compared({.base = {base}, .changed = {other}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("no work in common: different parameters: batch=128, not 256"));
  }
  EXPECT_THROW(compared({.base = {base}}), Error);
  EXPECT_THROW(compared({.base = {"host=nowhere"}, .changed = {"host=node1"}}, {base}), Error);
}

TEST_F(CompareTable, TheExitStatusSaysByOptionThatItBecameSlower) {
  const auto base = folder("base", {compared_run("node1", 10), compared_run("node1", 10, 1)});
  const auto slower = folder("new", {compared_run("node1", 10.5), compared_run("node1", 10.5, 1)});
  const auto status = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"table", "compare", "--base", base, "--new", slower};
    words.insert(words.end(), more.begin(), more.end());
    return analyze(words).status;
  };
  EXPECT_EQ(status({}), 0);
  EXPECT_EQ(status({"--fail-above", "2"}), 1);
  EXPECT_EQ(status({"--fail-above", "6"}), 0);
  EXPECT_EQ(analyze({"table", "runs", base, "--fail-above", "2"}).status, 2);
  EXPECT_THAT(analyze({"table", "compare", base}).err, HasSubstr("--base is missing"));
}

TEST_F(CompareTable, ADamagedRecordIsNamedAndTheExitStatusIs1) {
  const auto base = folder("base", {compared_run("node1", 10)});
  const auto changed = folder("new", {compared_run("node1", 10)});
  set_bytes(changed + "/torn.h5", "no record");
  for (const auto& words : {std::vector<std::string>{"--base", base, "--new", changed},
                            {base, changed, "--base", "repeat=0", "--new", "repeat=0"}}) {
    std::vector<std::string> command{"table", "compare"};
    command.insert(command.end(), words.begin(), words.end());
    const auto printed = analyze(command);
    EXPECT_EQ(printed.status, 1);
    EXPECT_THAT(printed.err, HasSubstr("skipped: "));
    EXPECT_THAT(printed.err, HasSubstr("torn.h5"));
    EXPECT_THAT(printed.out, HasSubstr("same within 1 %"));
  }
  const auto torn = folder("torn", {});
  set_bytes(torn + "/torn.h5", "no record");
  const auto none = analyze({"table", "compare", "--base", base, "--new", torn});
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.err, HasSubstr("no record could be read of " + torn));
}

}  // namespace
}  // namespace epochcast::analysis
