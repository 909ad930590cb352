// Quantiles of past times. The job histories here are simulated, with known distributions.
#include "src/forecast/statistics/history.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace epochcast::forecast {
namespace {

using ::testing::HasSubstr;

/// Jobs one after the other, each submitted when the one before has ended.
std::vector<PastTime> in_turn(const std::vector<double>& seconds) {
  std::vector<PastTime> times;
  double now_s = 1;
  for (const double elapsed_s : seconds) {
    times.push_back(
        {.elapsed_s = elapsed_s, .submitted_at_s = now_s, .ended_at_s = now_s + elapsed_s});
    now_s += elapsed_s + 1;
  }
  return times;
}

std::vector<double> one_to(std::size_t n) {
  std::vector<double> values;
  for (std::size_t i = 1; i <= n; ++i) {
    values.push_back(static_cast<double>(i));
  }
  return values;
}

HistoryForecast forecast_of_times(const std::vector<PastTime>& times) {
  const auto answer = PastTimes(times).forecast();
  const auto* refusal = std::get_if<Refusal>(&answer);
  EXPECT_EQ(refusal, nullptr) << (refusal == nullptr ? "" : refusal->reason);
  return refusal == nullptr ? std::get<HistoryForecast>(answer) : HistoryForecast{};
}

std::string refusal_of_times(const std::vector<PastTime>& times) {
  return std::get<Refusal>(PastTimes(times).forecast()).reason;
}

void cut_off(PastTime& time, double limit_s) {
  time.cut_off = true;
  time.limit_s = time.elapsed_s = limit_s;
}

TEST(History, NeedsAsManyJobsAsTheRanksOfItsIntervals) {
  EXPECT_EQ(refusal_of_times({}), "found 0 past jobs, expected at least 9");
  EXPECT_EQ(refusal_of_times(in_turn({1})), "found 1 past job, expected at least 9");
  const auto few = forecast_of_times(in_turn(one_to(9)));
  EXPECT_EQ(few.time_s.value, 5);
  EXPECT_EQ(few.time_s.interval_80.low, 1);
  EXPECT_EQ(few.time_s.interval_80.high, 9);
  EXPECT_FALSE(few.time_s.interval_95.is_known()) << "9 jobs say nothing of 1 in 20";
  const auto more = forecast_of_times(in_turn(one_to(19)));
  EXPECT_EQ(more.time_s.interval_95.low, 0) << "all of the 5 % are at the upper end";
  EXPECT_EQ(more.time_s.interval_95.high, 19);
  const auto many = forecast_of_times(in_turn(one_to(79)));
  EXPECT_EQ(many.time_s.value, 40);
  EXPECT_EQ(many.time_s.interval_80.low, 8);
  EXPECT_EQ(many.time_s.interval_80.high, 72);
  EXPECT_EQ(many.time_s.interval_95.low, 2);
  EXPECT_EQ(many.time_s.interval_95.high, 78);
}

TEST(History, AJobThatWasCutOffTookLongerThanItsLimit) {
  auto times = in_turn(one_to(39));
  cut_off(times[0], 1);  // a short limit: it would have taken longer, nobody knows how long
  const auto one = forecast_of_times(times);
  EXPECT_EQ(one.cut_off, 1u);
  EXPECT_EQ(one.time_s.value, 21) << "it counts as one of the long ones";
  EXPECT_EQ(one.time_s.interval_95.high, no_upper_end);
  EXPECT_EQ(one.time_s.interval_80.low, 4) << "at its limit for lower ends";
  for (std::size_t i = 0; i < 20; ++i) {
    cut_off(times[i], 10);
  }
  EXPECT_EQ(refusal_of_times(times), "20 of 39 past jobs reached their time limit");
}

TEST(History, TheOrderOfTimesDoesNotMatter) {
  PastTimes added;
  for (const double elapsed_s : {5.0, 1.0, 9.0, 3.0, 7.0, 2.0, 8.0, 4.0, 6.0}) {
    added.add({.elapsed_s = elapsed_s});
  }
  const auto forecast = std::get<HistoryForecast>(added.forecast());
  EXPECT_EQ(forecast.time_s.value, 5);
  EXPECT_EQ(forecast.time_s.interval_80.high, 9);
}

TEST(History, ALimitIsTenPercentMoreInWholeMinutes) {
  EXPECT_EQ(limit_from(100), 120);
  EXPECT_EQ(limit_from(600), 660);
  EXPECT_EQ(limit_from(0), 60);
}

TEST(History, BacktestUsesOnlyWhatWasKnownWhenAJobWasSubmitted) {
  auto times = in_turn(one_to(30));
  EXPECT_EQ(backtest(times).inside_80.of, 21u) << "the first nine have too few before them";
  for (auto& time : times) {
    time.submitted_at_s = 1;  // all at once
  }
  EXPECT_EQ(backtest(times).inside_80.of, 0u);
}

TEST(History, BacktestShowsADriftThatIntervalsDoNotCover) {
  const auto result = backtest(in_turn(one_to(59)));  // each job is the longest so far
  EXPECT_EQ(result.inside_80.of, 50u);
  EXPECT_EQ(result.inside_80.held, 0u);
  EXPECT_EQ(result.inside_95.held, 0u);
}

TEST(History, BacktestCountsACutOffJobOnlyAboveTheInterval) {
  auto times = in_turn(std::vector<double>(40, 100));
  cut_off(times[38], 50);
  cut_off(times[39], 500);
  const auto result = backtest(times);
  EXPECT_EQ(result.inside_80.of, 30u) << "of one it is not known";
  EXPECT_EQ(result.inside_80.held, 29u);
}

/// Simulated: the share of next times inside the interval, for distributions that no model fits.
class HistoryCoverage : public ::testing::TestWithParam<std::size_t> {};

TEST_P(HistoryCoverage, IsAtLeastWhatIsStatedWhateverTheDistribution) {
  std::mt19937_64 random(GetParam());
  std::lognormal_distribution<double> heavy(8, 1);
  std::normal_distribution<double> narrow(3600, 10);
  std::bernoulli_distribution other(0.3);
  const std::vector<std::function<double()>> laws{
      [&] { return heavy(random); }, [&] { return narrow(random); },
      [&] { return other(random) ? 60 + heavy(random) / 1000 : narrow(random); }};
  constexpr int trials = 4000;
  for (std::size_t law = 0; law < laws.size(); ++law) {
    int inside_80 = 0;
    int inside_95 = 0;
    for (int i = 0; i < trials; ++i) {
      PastTimes past;
      for (std::size_t n = 0; n < GetParam(); ++n) {
        past.add({.elapsed_s = laws[law]()});
      }
      const auto forecast = std::get<HistoryForecast>(past.forecast());
      const double next_s = laws[law]();
      const auto is_in = [&](const Interval& of) { return of.holds(next_s); };
      inside_80 += is_in(forecast.time_s.interval_80) ? 1 : 0;
      inside_95 += is_in(forecast.time_s.interval_95) ? 1 : 0;
    }
    // Four standard errors of the share; the exact coverage exceeds the level by up to 2/(n + 1).
    const auto expect_share = [&](int inside, double level) {
      const double error = 4 * std::sqrt(level * (1 - level) / trials);
      EXPECT_GE(double(inside) / trials, level - error) << law;
      EXPECT_LE(double(inside) / trials, level + 2 / double(GetParam() + 1) + error) << law;
    };
    expect_share(inside_80, 0.80);
    expect_share(inside_95, 0.95);
  }
}

INSTANTIATE_TEST_SUITE_P(Jobs, HistoryCoverage, ::testing::Values(19, 25, 39, 50, 100));

/// Simulated: jobs of limits chosen by their users, some too short.
TEST(HistoryCoverage, HoldsWhereLimitsCutJobsOff) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> law(6, 0.5);
  constexpr int trials = 4000;
  int inside_80 = 0;
  for (int i = 0; i < trials; ++i) {
    PastTimes past;
    for (int n = 0; n < 60; ++n) {
      const double needed_s = law(random);
      const double limit_s = n % 20 == 0 ? 300 : 1e9;
      past.add({.elapsed_s = std::min(needed_s, limit_s), .cut_off = needed_s > limit_s});
    }
    const auto forecast = std::get<HistoryForecast>(past.forecast());
    const double next_s = law(random);
    inside_80 +=
        next_s >= forecast.time_s.interval_80.low && next_s <= forecast.time_s.interval_80.high ? 1
                                                                                                : 0;
  }
  EXPECT_GE(double(inside_80) / trials, 0.80 - 0.03);
}

}  // namespace
}  // namespace epochcast::forecast
