// validate waits and validate history: on files made here (simulated), and on Cedar's jobs where
// they are at hand.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/validate/validator.hpp"
#include "src/base/core/error.hpp"
#include "tests/analysis/table_parts.hpp"
#include "tests/files.hpp"
#include "tests/shared_data.hpp"

namespace epochcast::analysis {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

table::Table scored(const std::string& kind, const std::string& path,
                    const ValidateOptions& options = {}) {
  return validators::all().at(kind).score(CsvFile::read(path), options).front();
}

constexpr const char* published_columns =
    "job,submit,eligible_after_s,start_after_s,elapsed_s,limit_s,partition,account,nodes,cpus,gpus,"
    "state\n";

/// One job an hour, by two users in turn, another one first each day: that waits 600 s, that of the
/// second user `more` times that, and runs 1000 s.
std::string steady_jobs(int count, int first = 0, int more = 1) {
  std::string text = published_columns;
  for (int i = first; i < count; ++i) {
    const int user = (i + i / 24) % 2;
    text += fmt::format("{},2021-05-{:02} {:02}:00:00,0,{},1000,7200,p,u{},1,4,{},COMPLETED\n", i,
                        1 + i / 24, i % 24, user == 0 ? 600 : 600 * more, user, i % 2);
  }
  return text;
}

TEST(ValidateWaits, ScoresEachPartInOrderOfTime) {
  const TemporaryFolder folder;
  set_bytes(folder / "x.csv", steady_jobs(240) + "9,yesterday,0,1,1,1,p,u,1,1,0,COMPLETED\n");
  const auto table = scored("waits", folder / "x.csv");
  EXPECT_DOUBLE_EQ(number(table, "past waits, by batches", "n"), 235) << "5 of the beginning";
  EXPECT_DOUBLE_EQ(number(table, "past waits, by batches", "within_2_percent"), 100);
  EXPECT_NEAR(number(table, "past waits, by batches", "median_error_h"), 0, 1e-9);
  EXPECT_DOUBLE_EQ(number(table, "newest 200", "within_2_percent"), 100);
  EXPECT_THAT(column_of(table, "part"),
              testing::IsSupersetOf({"all", "second half of the time", "with a GPU"}));
  EXPECT_THAT(table.notes,
              Contains(AllOf(HasSubstr("1 row left out"), HasSubstr("found 'yesterday'"))));
}

TEST(ValidateQueue, LearnsFromOneFileAndScoresOnlyTheOther) {
  const TemporaryFolder folder;
  set_bytes(folder / "old.csv", steady_jobs(140));
  set_bytes(folder / "new.csv", steady_jobs(240, 140));
  const ValidateOptions options{.learn = {CsvFile::read(folder / "old.csv")}};
  for (const std::string kind : {"waits", "history"}) {
    const auto table = scored(kind, folder / "new.csv", options);
    EXPECT_THAT(table.title, HasSubstr("100 jobs, after 140 that are only learned from"));
    const auto method = "past " + std::string(kind == "waits" ? "waits" : "jobs") + ", by batches";
    EXPECT_DOUBLE_EQ(number(table, method, "n"), 100) << kind << ": the first has a past too";
    EXPECT_DOUBLE_EQ(number(table, method, "covered_80_percent"), 100) << kind;
    EXPECT_THAT(error_of([&] {
                  scored(kind, folder / "old.csv", {.learn = {CsvFile::read(folder / "new.csv")}});
                }),
                AllOf(HasSubstr("--learn: found no job before the first of "),
                      HasSubstr("begins on 2021-05-01, what to learn from on 2021-05-06"),
                      HasSubstr("score the one that begins later")));
  }
}

TEST(ValidateQueue, LeavesEachPartOut) {
  const TemporaryFolder folder;
  set_bytes(folder / "x.csv", steady_jobs(120, 0, 10));
  const auto waits = scored("waits", folder / "x.csv", {.ablate = true});
  EXPECT_DOUBLE_EQ(number(waits, "past waits, by batches", "within_2_percent"), 100);
  EXPECT_LT(number(waits, "without the user", "within_2_percent"), 80) << "the other waits longer";
  EXPECT_DOUBLE_EQ(number(waits, "without the partition", "within_2_percent"), 100);
  const auto history = scored("history", folder / "x.csv", {.ablate = true});
  EXPECT_GT(number(history, "without limits by price", "limit_per_used"), 1);
}

TEST(ValidateWaits, NamesAMissingColumn) {
  const TemporaryFolder folder;
  set_bytes(folder / "x.csv", "submit,start_after_s\n");
  EXPECT_THAT(error_of([&] { scored("waits", folder / "x.csv"); }), HasSubstr("elapsed_s"));
}

TEST(SlowValidateWaits, HoldsOnCedarAheadOfTheSimpleRules) {
  EPOCHCAST_NEEDS_SHARED_DATA("queue/cedar.csv.gz");
  const auto table = scored("waits", shared_data("queue/cedar.csv.gz"));
  const auto ours = [&](const std::string& column) {
    return number(table, "past waits, by batches", column);
  };
  EXPECT_GT(ours("within_2_percent"), 45);
  EXPECT_GT(ours("within_3_percent"), 62);
  EXPECT_GT(ours("covered_80_percent"), 77);
  EXPECT_LT(ours("covered_80_percent"), 83);
  EXPECT_GT(ours("within_2_percent"),
            number(table, "newest 10 of the user in the partition", "within_2_percent"));
}

TEST(ValidateHistory, ScoresLimitsBesideTheOwnOnes) {
  const TemporaryFolder folder;
  set_bytes(folder / "x.csv",
            steady_jobs(240) + "9,2021-05-02 00:00:00,0,1,0,1,p,u,1,1,0,FAILED\n");
  const auto table = scored("history", folder / "x.csv");
  const auto ours = [&](const std::string& column) {
    return number(table, "past jobs, by batches", column);
  };
  EXPECT_DOUBLE_EQ(ours("n"), 240);
  EXPECT_DOUBLE_EQ(ours("covered_80_percent"), 100) << "all take 1000 s";
  EXPECT_DOUBLE_EQ(ours("within_limit_percent"), 100);
  EXPECT_NEAR(ours("own_per_used"), 7.2, 1e-9);
  EXPECT_LT(ours("limit_per_used"), 2) << "1140 s, but the first 20";
  EXPECT_NEAR(number(table, "its own limit", "limit_per_used"), 7.2, 1e-9);
  EXPECT_THAT(table.notes, Contains(HasSubstr("1 row left out; the first: job 9: it neither")));
}

TEST(SlowValidateHistory, HoldsOnCedarWithFewerHoursThanTheOwnLimits) {
  EPOCHCAST_NEEDS_SHARED_DATA("queue/cedar.csv.gz");
  const auto table = scored("history", shared_data("queue/cedar.csv.gz"));
  const auto ours = [&](const std::string& column) {
    return number(table, "past jobs, by batches", column);
  };
  EXPECT_NEAR(ours("covered_80_percent"), 80, 3);
  EXPECT_NEAR(ours("covered_95_percent"), 95, 2.1);
  EXPECT_GE(ours("within_limit_percent"), 98);
  EXPECT_LE(ours("limit_per_used"), 3.5);
}

}  // namespace
}  // namespace epochcast::analysis
