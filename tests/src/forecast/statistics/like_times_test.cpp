// Forecasts from times that come in batches; all times here are simulated.
#include "src/forecast/statistics/like_times.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace epochcast::forecast {
namespace {

constexpr double hour_s = 3600;

Likeness all_alike(std::size_t, std::size_t) {
  return {};
}

TEST(QuantileOfTimes, CountsThoseThatAreNotOverAsKaplanAndMeier) {
  // At 2 one of three that are left is lost from sight, so that 3 is half of those that remain.
  const std::vector<WeightedTime> times{{3}, {1}, {2, false}, {4}};
  EXPECT_EQ(quantile_of_times(times, 0.25), 1);
  EXPECT_EQ(quantile_of_times(times, 0.26), 3);
  EXPECT_EQ(quantile_of_times(times, 0.625), 3);
  EXPECT_EQ(quantile_of_times(times, 0.63), 4);
  EXPECT_TRUE(std::isinf(quantile_of_times({{1}, {5, false}}, 0.6)));
}

TEST(QuantileOfTimes, TakesWeights) {
  EXPECT_EQ(quantile_of_times({{1, true, 3}, {9, true, 1}}, 0.75), 1);
  EXPECT_EQ(quantile_of_times({{1, true, 3}, {9, true, 1}}, 0.76), 9);
}

TEST(HadTime, EndsWhereMoreThanAFewAreOpen) {
  std::vector<bool> open(200, false);
  EXPECT_EQ(had_time(open), 200U);
  for (std::size_t i = 180; i < open.size(); ++i) {
    open[i] = true;
  }
  EXPECT_EQ(had_time(open), 185U);
  EXPECT_EQ(had_time({true, true}), 0U);
  EXPECT_EQ(had_time({}), 0U);
}

TEST(LikeTimes, ABatchIsOneObservation) {
  std::vector<TimeBatch> batches;
  for (int i = 0; i < 10; ++i) {
    batches.push_back({i * hour_s, {{i * hour_s, 600}}});
  }
  batches.push_back({10 * hour_s, std::vector<CountedTime>(500, {10 * hour_s, 1})});
  batches.push_back({20 * hour_s, {}});
  const LikeTimes times(batches, all_alike, {});
  EXPECT_EQ(times.raw(11)->value, 600);
}

TEST(LikeTimes, SeesOnlyWhatWasKnown) {
  const std::vector<TimeBatch> batches{
      {0, {{0, 100}}}, {10, {{10, 500}}}, {50, {{50, 70}}}, {200, {}}};
  const LikeTimes times(batches, all_alike, {});
  EXPECT_FALSE(times.raw(0));
  EXPECT_FALSE(times.raw(2)) << "none has ended";
  EXPECT_EQ(times.raw(3)->value, 100) << "of 70, 100 and more than 190";
}

TEST(LikeTimes, TakesTheLikestAndTheirRatio) {
  const std::vector<TimeBatch> batches{{0, {{0, 100}}}, {1, {{1, 900}}}, {2000, {}, 1000}};
  const auto value = [&](double distance, double ratio) {
    const LikeTimes times(batches,
                          [=](std::size_t, std::size_t earlier) {
                            return earlier == 0 ? Likeness{} : Likeness{distance, ratio};
                          },
                          {});
    return times.raw(2)->interval_80;
  };
  EXPECT_EQ(value(0, 1).high, 900);
  EXPECT_EQ(value(5, 1).high, 100);
  EXPECT_EQ(value(0, 2).high, 1000) << "no more than its own limit";
}

// The newest that have ended are the short ones: alone they say too little.
TEST(LikeTimes, IntervalsHoldWhileTheNewestAreOpen) {
  std::mt19937_64 random(3);
  std::lognormal_distribution<double> wait(std::log(6 * hour_s), 1);
  std::vector<TimeBatch> batches;
  for (int i = 0; i < 1300; ++i) {
    batches.push_back({i * 180.0, {{i * 180.0, wait(random)}}});
  }
  struct Shares {
    double in_80, in_95, shorter;
  };
  const auto shares = [&](bool counts_open) {
    const LikeTimes times(batches, all_alike, {Ends::apart, 300, counts_open});
    Shares held{};
    double count = 0;
    for (std::size_t i = 300; i < batches.size(); i += 3) {
      const auto made = times.calibrated(i).value();
      const double took_s = batches[i].times.front().took_s;
      ++count;
      held.in_80 += made.interval_80.holds(took_s) ? 1 : 0;
      held.in_95 += made.interval_95.holds(took_s) ? 1 : 0;
      held.shorter += took_s < made.value ? 1 : 0;
    }
    return Shares{held.in_80 / count, held.in_95 / count, held.shorter / count};
  };
  const auto [in_80, in_95, shorter] = shares(true);
  EXPECT_NEAR(in_80, 0.8, 0.06);
  EXPECT_NEAR(in_95, 0.95, 0.03);
  EXPECT_NEAR(shorter, 0.5, 0.07);
  const auto of_ended = shares(false);
  EXPECT_LT(of_ended.in_80, 0.7);
  EXPECT_LT(of_ended.in_95, 0.85);
  EXPECT_LT(of_ended.shorter, 0.4);
}

}  // namespace
}  // namespace epochcast::forecast
