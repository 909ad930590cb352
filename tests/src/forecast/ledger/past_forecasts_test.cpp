#include "src/forecast/ledger/past_forecasts.hpp"

#include <gmock/gmock.h>
#include <stdlib.h>

#include "tests/files.hpp"

namespace epochcast::ledger {
namespace {

LedgerRow row_of(int number, double actual_s, Outcome outcome = Outcome::complete) {
  LedgerRow row;
  row.out = "out";
  row.point = "p" + std::to_string(number);
  row.forecast_s = 100;
  row.low_80_s = 90;
  row.high_80_s = 110;
  row.low_95_s = 80;
  row.high_95_s = 120;
  row.outcome = outcome;
  row.actual_s = actual_s;
  return row;
}

TEST(PastForecasts, AreThoseWhoseEndIsKnown) {
  auto cut_early = row_of(2, 50, Outcome::stopped);
  auto cut_late = row_of(3, 150, Outcome::stopped);
  cut_early.censored = cut_late.censored = true;
  auto refused = row_of(4, 100);
  refused.forecast_s = not_known;
  const auto past =
      past_forecasts({row_of(1, 107), cut_early, cut_late, refused, row_of(5, 60, Outcome::failed),
                      row_of(6, not_known, Outcome::open)});
  ASSERT_EQ(past.size(), 2u);
  EXPECT_EQ(past[0].actual_s, 107);
  EXPECT_EQ(past[0].total_s.interval_95.high, 120);
  EXPECT_EQ(past[1].actual_s, 150);
}

LedgerRow memory_row(int number, double used_bytes, Outcome outcome = Outcome::complete) {
  LedgerRow row;
  row.out = "out";
  row.point = "m" + std::to_string(number);
  row.memory_bytes = 1000;
  row.memory_high_95_bytes = 1100;
  row.memory_used_bytes = used_bytes;
  row.outcome = outcome;
  return row;
}

TEST(PastMemory, IsThatOfRunsThatEndedOrHeldMore) {
  const auto past =
      past_memory({memory_row(1, 990), memory_row(2, 500, Outcome::failed),
                   memory_row(3, 1300, Outcome::failed), memory_row(4, not_known), row_of(5, 100)});
  ASSERT_EQ(past.size(), 2u);
  EXPECT_EQ(past[0].actual_s, 990);
  EXPECT_DOUBLE_EQ(past[0].total_s.interval_95.high, 1100);
  EXPECT_EQ(past[1].actual_s, 1300);
}

class UserLedger : public ::testing::Test {
 protected:
  void SetUp() override { setenv("EPOCHCAST_LEDGER", path().c_str(), 1); }
  void TearDown() override { unsetenv("EPOCHCAST_LEDGER"); }
  std::string path() const { return folder_ / "ledger.csv"; }

  TemporaryFolder folder_;
};

TEST_F(UserLedger, StretchesTheUpperEndOfMemoryByItsErrors) {
  const forecast::Prediction bytes{2000, {1900, 2100}, {1800, 2200}};
  EXPECT_EQ(memory_adjusted_by_user_ledger(bytes).interval_95.high, 2200);
  std::vector<LedgerRow> rows;
  for (int i = 0; i < 40; ++i) {
    rows.push_back(memory_row(i, 1200));
  }
  put_in_ledger(path(), rows);
  EXPECT_NEAR(memory_adjusted_by_user_ledger(bytes).interval_95.high, 2400, 10)
      << "it was twice the half-width above each";
}

TEST_F(UserLedger, StretchesIntervalsFromTwentyRowsOn) {
  forecast::Forecast forecast;
  forecast.total_s.value = 1000;
  forecast.total_s.interval_80 = {990, 1010};
  forecast.total_s.interval_95 = {980, 1020};
  EXPECT_EQ(adjusted_by_user_ledger(forecast).total_s.interval_95.high, 1020);
  std::vector<LedgerRow> rows;
  for (int i = 0; i < 19; ++i) {
    rows.push_back(row_of(i, 160));
  }
  put_in_ledger(path(), rows);
  EXPECT_EQ(adjusted_by_user_ledger(forecast).total_s.interval_95.high, 1020);
  put_in_ledger(path(), {row_of(19, 160)});
  const auto learnt = adjusted_by_user_ledger(forecast);
  EXPECT_DOUBLE_EQ(learnt.total_s.interval_95.high, 1000 + 20 * 60 / 20.0);
  EXPECT_THAT(learnt.reasons, testing::Contains(testing::HasSubstr("20 earlier forecasts")));
}

TEST_F(UserLedger, SaysOfABiasThatTheForecastDoesNotHaveIt) {
  forecast::Forecast forecast;
  forecast.total_s.value = 1000;
  forecast.total_s.interval_95 = {980, 1020};
  std::vector<LedgerRow> rows;
  for (int i = 0; i < 30; ++i) {
    rows.push_back(row_of(i, i == 0 ? 99 : 115));
  }
  put_in_ledger(path(), rows);
  const auto biased = adjusted_by_user_ledger(forecast);
  EXPECT_EQ(biased.total_s.value, 1000);
  EXPECT_THAT(biased.reasons,
              testing::Contains(testing::HasSubstr("longer than forecast, 15.0 % by the median")));
  for (int i = 1; i < 30; i += 3) {
    rows[static_cast<std::size_t>(i)].actual_s = 95;
  }
  put_in_ledger(path(), rows);
  EXPECT_THAT(adjusted_by_user_ledger(forecast).reasons,
              testing::Not(testing::Contains(testing::HasSubstr("than forecast"))));
}

}  // namespace
}  // namespace epochcast::ledger
