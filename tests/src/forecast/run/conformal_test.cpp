#include "src/forecast/run/conformal.hpp"

#include <cmath>
#include <random>

#include "tests/src/forecast/run/made_series.hpp"

namespace epochcast::forecast {
namespace {

/// Forecasts of 100 whose intervals reach 10 (80 %) and 20 (95 %) to each side; off by 1, 2 ... n.
std::vector<PastForecast> off_by_one_to(int n) {
  std::vector<PastForecast> past;
  for (int i = 1; i <= n; ++i) {
    past.push_back(
        {.total_s = {100, {90, 110}, {80, 120}}, .actual_s = i % 2 == 0 ? 100.0 + i : 100.0 - i});
  }
  return past;
}

TEST(Conformal, TakesTheRankOfNPlusOne) {
  const auto factors = calibration_from(off_by_one_to(39));
  EXPECT_DOUBLE_EQ(factors.of_80, 32 / 10.0);  // ceil(40 * 0.80)
  EXPECT_DOUBLE_EQ(factors.of_95, 38 / 20.0);  // ceil(40 * 0.95)
}

TEST(Conformal, ExactForecastsDoNotMakeTheNextOneCertain) {
  auto exact = off_by_one_to(30);
  for (auto& one : exact) {
    one.actual_s = 100;
  }
  const auto factors = calibration_from(exact);
  EXPECT_DOUBLE_EQ(factors.of_80, 1 / 31.0);
  EXPECT_DOUBLE_EQ(factors.of_95, 1 / 31.0);
}

TEST(Conformal, LeavesIntervalsAloneUntilTwentyAreKnown) {
  EXPECT_DOUBLE_EQ(calibration_from(off_by_one_to(19)).of_95, 1);
  EXPECT_DOUBLE_EQ(calibration_from(off_by_one_to(20)).of_95, 1);  // the 20th of 20, 20 / 20
  EXPECT_DOUBLE_EQ(calibration_from(off_by_one_to(20)).of_80, 1.7);
}

TEST(Conformal, StretchesEachSideButNotBelowWhatWasSpent) {
  Forecast forecast;
  forecast.total_s.value = 100;
  forecast.spent_s = 70;
  forecast.total_s.interval_80 = {95, 110};
  forecast.total_s.interval_95 = {80, 130};
  const auto wide = calibrated(forecast, {.of_80 = 2, .of_95 = 3});
  EXPECT_DOUBLE_EQ(wide.total_s.interval_80.low, 90);
  EXPECT_DOUBLE_EQ(wide.total_s.interval_80.high, 120);
  EXPECT_DOUBLE_EQ(wide.total_s.interval_95.low, 70);
  EXPECT_DOUBLE_EQ(wide.total_s.interval_95.high, 190);
}

TEST(Conformal, TheLargerIntervalHoldsTheSmaller) {
  Forecast forecast;
  forecast.total_s.value = 100;
  forecast.total_s.interval_80 = {90, 110};
  forecast.total_s.interval_95 = {85, 115};
  const auto odd = calibrated(forecast, {.of_80 = 2, .of_95 = 1});
  EXPECT_DOUBLE_EQ(odd.total_s.interval_95.low, 80);
  EXPECT_DOUBLE_EQ(odd.total_s.interval_95.high, 120);
}

// Intervals that are five times too narrow, and errors that are not normal.
TEST(Conformal, CoversItsNominalShareHoweverWrongTheModelIs) {
  std::mt19937 random(3);
  std::cauchy_distribution<double> error(0, 5);
  int held = 0;
  constexpr int trials = 2000;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<PastForecast> past(25, {.total_s = {1000, {999, 1001}, {999, 1001}}});
    for (auto& one : past) {
      one.actual_s = 1000 + error(random);
    }
    held += std::abs(error(random)) <= calibration_from(past).of_80 ? 1 : 0;
  }
  EXPECT_NEAR(held, 0.81 * trials, 0.03 * trials);  // ceil(26 * 0.80) / 26
}

TEST(Conformal, ToleratesForecastsWithoutAnInterval) {
  auto past = off_by_one_to(39);
  past.push_back({.total_s = {5, {5, 5}, {5, 5}}, .actual_s = 6});
  EXPECT_DOUBLE_EQ(calibration_from(past).of_95, 38 / 20.0);
}

}  // namespace
}  // namespace epochcast::forecast
