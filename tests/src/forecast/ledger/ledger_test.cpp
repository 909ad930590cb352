#include "src/forecast/ledger/ledger.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <thread>

#include "tests/files.hpp"

namespace epochcast::ledger {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

LedgerRow row(const std::string& point, double forecast_s) {
  LedgerRow row;
  row.out = "/out, \"quoted\"";
  row.point = point;
  row.forecast_s = forecast_s;
  return row;
}

class Ledger : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  std::string path_ = folder_ / "deep/er/ledger.csv";
};

TEST_F(Ledger, KeepsARowAsWritten) {
  auto put = row("a", 12.25);
  put.epochs = 20;
  put.censored = true;
  put.remark = "two\nlines";
  put_in_ledger(path_, {put});
  const auto rows = read_ledger(path_);
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0].out, put.out);
  EXPECT_EQ(rows[0].forecast_s, 12.25);
  EXPECT_EQ(rows[0].epochs, 20);
  EXPECT_TRUE(rows[0].censored);
  EXPECT_EQ(rows[0].remark, put.remark);
  EXPECT_TRUE(std::isnan(rows[0].actual_s)) << "not known is not 0";
}

TEST_F(Ledger, AnOutcomeClosesTheRowAndAnotherForecastIsAnotherRow) {
  put_in_ledger(path_, {row("a", 1), row("b", 2)});
  put_in_ledger(path_, {row("a", 3)});
  EXPECT_THAT(read_ledger(path_), SizeIs(2)) << "a newer forecast replaces one that is open";
  auto ended = row("a", 3);
  ended.outcome = Outcome::complete;
  put_in_ledger(path_, {ended});
  put_in_ledger(path_, {row("a", 4)});
  const auto rows = read_ledger(path_);
  ASSERT_THAT(rows, SizeIs(3));
  EXPECT_EQ(rows[0].outcome, Outcome::complete);
  EXPECT_TRUE(rows[2].is_open());
}

/// Two processes that watch the same folder see the same job end.
TEST_F(Ledger, ALateWriterNeitherDuplicatesNorOpensARow) {
  auto forecast = row("a", 1);
  forecast.made_at = "2026-11-21T09:15:02+01:00";
  auto ended = forecast;
  ended.outcome = Outcome::complete;
  put_in_ledger(path_, {forecast});
  put_in_ledger(path_, {ended});
  put_in_ledger(path_, {ended});
  put_in_ledger(path_, {forecast});
  const auto rows = read_ledger(path_);
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0].outcome, Outcome::complete);
}

TEST_F(Ledger, WritersAtTheSameTimeLoseNothing) {
  std::vector<std::thread> writers;
  for (int i = 0; i < 8; ++i) {
    writers.emplace_back([&, i] { put_in_ledger(path_, {row("p" + std::to_string(i), i)}); });
  }
  for (auto& writer : writers) {
    writer.join();
  }
  EXPECT_THAT(read_ledger(path_), SizeIs(8));
}

TEST_F(Ledger, ReadsColumnsByName) {
  set_bytes(folder_ / "old.csv", "color,point,forecast_s\nred,a,5\n");
  EXPECT_EQ(read_ledger(folder_ / "old.csv").at(0).forecast_s, 5);
  EXPECT_THAT(read_ledger(folder_ / "none.csv"), IsEmpty());
}

TEST_F(Ledger, NamesTheBrokenLine) {
  set_bytes(folder_ / "bad.csv", "point,forecast_s\na,5\nb,soon\n");
  std::vector<std::string> damaged;
  EXPECT_THAT(read_ledger(folder_ / "bad.csv", &damaged), SizeIs(1));
  EXPECT_THAT(damaged, ElementsAre(HasSubstr("bad.csv:3: forecast_s: found 'soon'")));
  set_bytes(folder_ / "other.csv", "x,y\n1,2\n");
  EXPECT_THAT(error_of([&] { read_ledger(folder_ / "other.csv"); }),
              HasSubstr("other.csv:1: is not the header of a ledger"));
}

TEST_F(Ledger, ExcludesATornLineAndKeepsTheOthers) {
  set_bytes(folder_ / "torn.csv",
            "point,forecast_s,remark\na,5,\nb,6,\"cut\nc,7,\"whole, remark\"\nd,8\ne,9,\"cut");
  std::vector<std::string> damaged;
  const auto rows = read_ledger(folder_ / "torn.csv", &damaged);
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(rows[1].remark, "whole, remark");
  EXPECT_THAT(damaged, ElementsAre(HasSubstr("torn.csv:3: "),
                                   HasSubstr("torn.csv:5: found 2 cells, expected 3"),
                                   HasSubstr("torn.csv:6: ")));
  put_in_ledger(folder_ / "torn.csv", {row("f", 1)});
  EXPECT_THAT(read_ledger(folder_ / "torn.csv"), SizeIs(3));
  EXPECT_THAT(bytes_of(folder_ / "torn.csv.damaged"), HasSubstr("e,9,\"cut"));
}

TEST_F(Ledger, RefusesTimesBelowZeroAndUnknownOutcomes) {
  set_bytes(folder_ / "bad.csv",
            "point,actual_s,outcome\na,-5,complete\nb,inf,complete\nc,5,done\nd,5,complete\n");
  std::vector<std::string> damaged;
  EXPECT_THAT(read_ledger(folder_ / "bad.csv", &damaged), SizeIs(1));
  EXPECT_THAT(damaged,
              ElementsAre(HasSubstr("bad.csv:2: actual_s: found '-5', expected a time >=0"),
                          HasSubstr("bad.csv:3: actual_s: found 'inf'"),
                          HasSubstr("bad.csv:4: outcome: found 'done', expected complete,")));
}

TEST_F(Ledger, RefusesAFifoInsteadOfWaitingForIt) {
  const std::string fifo = folder_ / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_THAT(error_of([&] { read_ledger(fifo); }), HasSubstr("found a named pipe"));
}

TEST_F(Ledger, TheEnvironmentSetsThePathOfTheUsersLedger) {
  setenv("EPOCHCAST_LEDGER", "/x/y.csv", 1);
  EXPECT_EQ(user_ledger(), "/x/y.csv");
  setenv("EPOCHCAST_LEDGER", "", 1);
  EXPECT_EQ(user_ledger(), std::nullopt);
  unsetenv("EPOCHCAST_LEDGER");
  setenv("XDG_DATA_HOME", "/data", 1);
  EXPECT_EQ(user_ledger(), "/data/epochcast/ledger.csv");
}

}  // namespace
}  // namespace epochcast::ledger
