#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>

#include "src/forecast/ledger/past_forecasts.hpp"
#include "tests/files.hpp"

namespace epochcast::ledger {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// A forecast of 100 s with its outcome, made by somebody.
LedgerRow ended(const std::string& person, int number, double actual_s) {
  LedgerRow row;
  row.made_at = "2026-11-21T09:15:02+01:00";
  row.out = "/home/" + person + "/out";
  row.experiment = "secret";
  row.cluster = "cluster of " + person;
  row.allocation = "gpu";
  row.point = "p" + std::to_string(number);
  row.pilot = "pilot of " + person;
  row.job = "4711";
  row.reason = person + " cancelled it";
  row.remark = "in /home/" + person;
  row.epochs = 20;
  row.forecast_s = 100;
  row.low_80_s = 90;
  row.high_80_s = 110;
  row.low_95_s = 80;
  row.high_95_s = 120;
  row.outcome = Outcome::complete;
  row.actual_s = actual_s;
  return row;
}

/// The same rows as a site may share them: without what names persons, folders, jobs and times.
std::vector<LedgerRow> without_names(std::vector<LedgerRow> rows) {
  for (auto& row : rows) {
    for (auto* text : {&row.made_at, &row.out, &row.experiment, &row.cluster, &row.allocation,
                       &row.pilot, &row.job, &row.reason, &row.remark}) {
      text->clear();
    }
  }
  return rows;
}

class SiteLedger : public ::testing::Test {
 protected:
  SiteLedger() {
    setenv("EPOCHCAST_LEDGER", own_.c_str(), 1);
    setenv("EPOCHCAST_SITE_LEDGER", site_.c_str(), 1);
    forecast_.total_s.value = 1000;
    forecast_.total_s.interval_80 = {990, 1010};
    forecast_.total_s.interval_95 = {980, 1020};
  }
  ~SiteLedger() override {
    unsetenv("EPOCHCAST_LEDGER");
    unsetenv("EPOCHCAST_SITE_LEDGER");
  }

  /// Rows whose outcomes are three times as far off as their intervals reach.
  static std::vector<LedgerRow> rows(const std::string& person, int from, int to) {
    std::vector<LedgerRow> made;
    for (int i = from; i < to; ++i) {
      made.push_back(ended(person, i, 160 + 1e-6 * i));
    }
    return made;
  }

  TemporaryFolder folder_;
  std::string own_ = folder_ / "own.csv";
  std::string site_ = folder_ / "site.csv";
  forecast::Forecast forecast_;
};

TEST_F(SiteLedger, TeachesAUserWhoHasNoneOfTheirOwn) {
  write_ledger(site_, without_names(rows("anna", 0, 20)));
  const auto before = bytes_of(site_);
  const auto learned = adjusted_by_user_ledger(forecast_);
  EXPECT_NEAR(learned.total_s.interval_95.high, 1000 + 20 * 60 / 20.0, 1e-3);
  EXPECT_THAT(learned.reasons, Contains(HasSubstr("20 earlier forecasts (" + site_)));
  EXPECT_EQ(bytes_of(site_), before);
  EXPECT_FALSE(std::filesystem::exists(site_ + ".lock")) << "a site's ledger is only read";
}

TEST_F(SiteLedger, DoesNotCountTheUsersOwnRowsTwice) {
  put_in_ledger(own_, rows("anna", 0, 19));
  write_ledger(site_, without_names(rows("anna", 0, 19)));
  EXPECT_EQ(adjusted_by_user_ledger(forecast_).total_s.interval_95.high, 1020) << "19 are too few";
  write_ledger(site_, without_names(rows("anna", 10, 20)));
  EXPECT_THAT(adjusted_by_user_ledger(forecast_).reasons,
              Contains(HasSubstr("20 earlier forecasts (" + own_ + ", " + site_)));
}

TEST_F(SiteLedger, RowsOfOneLedgerAreNeverTheSame) {
  const std::vector twins(12, ended("anna", 1, 160));
  write_ledger(site_, without_names(twins));
  set_bytes(own_, bytes_of(site_));
  EXPECT_EQ(adjusted_by_user_ledger(forecast_).total_s.interval_95.high, 1020) << "12 are too few";
  write_ledger(site_, without_names(std::vector(20, twins[0])));
  EXPECT_THAT(adjusted_by_user_ledger(forecast_).reasons,
              Contains(HasSubstr("20 earlier forecasts (")));
}

TEST_F(SiteLedger, ThatCannotBeReadIsNamedAndStopsNoForecast) {
  const auto missing = adjusted_by_user_ledger(forecast_);
  EXPECT_THAT(missing.reasons, Contains(HasSubstr("site.csv: no such file")));
  set_bytes(site_, "x,y\n1,2\n");
  const auto wrong = adjusted_by_user_ledger(forecast_);
  EXPECT_EQ(wrong.total_s.interval_95.high, 1020);
  EXPECT_THAT(wrong.reasons, Contains(HasSubstr("is not the header of a ledger")));
}

TEST_F(SiteLedger, OfManyRowsTheNewestAreRead) {
  write_ledger(site_, without_names(rows("anna", 0, 1000)));
  const auto all = read_ledger(site_);
  const auto newest = read_newest(site_, nullptr, 10'000);
  ASSERT_THAT(newest, Not(IsEmpty()));
  EXPECT_LT(newest.size(), all.size());
  EXPECT_EQ(newest.back().point, all.back().point);
  EXPECT_EQ(newest.front().point, all[all.size() - newest.size()].point) << "no row is cut";
}

}  // namespace
}  // namespace epochcast::ledger
