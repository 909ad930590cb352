// Calibration of waits; all waits are simulated.
#include "src/forecast/queue/wait_scores.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace epochcast::queue {
namespace {

/// Waits that a method forecasts as 100 s (90 to 110), and that are `actual_s`; one an hour.
std::vector<PastWait> waits_that_were(const std::vector<double>& actual_s) {
  std::vector<PastWait> past;
  for (const double wait_s : actual_s) {
    const double begin_s = 3600.0 * static_cast<double>(past.size());
    past.push_back({{100, {90, 110}}, wait_s, begin_s, begin_s + wait_s});
  }
  return past;
}

TEST(WaitScores, TakesOrderStatisticsOfDraws) {
  std::vector<double> draws;
  for (int i = 0; i < 100; ++i) {
    draws.push_back(i < 95 ? i : std::numeric_limits<double>::infinity());
  }
  const auto wait = wait_of_draws(draws);
  EXPECT_NEAR(wait.value, 49.5, 1e-9);
  EXPECT_NEAR(wait.interval_80.low, 9.1, 1e-9);
  EXPECT_NEAR(wait.interval_80.high, 90.9, 1e-9) << "and a second, in which the accounting counts";
}

TEST(WaitScores, FewDrawsGiveAnIntervalAsWideAsMany) {
  std::mt19937_64 random(5);
  std::exponential_distribution<double> wait(0.01);
  int inside = 0;
  constexpr int trials = 4000;
  for (int i = 0; i < trials; ++i) {
    std::vector<double> draws(20);
    std::ranges::generate(draws, [&] { return wait(random); });
    const auto interval = wait_of_draws(draws).interval_80;
    const double next_s = wait(random);
    inside += next_s >= interval.low && next_s <= interval.high - 1 ? 1 : 0;
  }
  EXPECT_NEAR(inside / static_cast<double>(trials), 0.8, 0.02);
}

TEST(WaitScores, AnInfiniteDrawAboveMakesOnlyTheUpperEndInfinite) {
  constexpr double never = std::numeric_limits<double>::infinity();
  const auto wait = wait_of_draws({1, 2, 3, 4, never});
  EXPECT_EQ(wait.value, 3);
  EXPECT_EQ(wait.interval_80.low, 1);
  EXPECT_EQ(wait.interval_80.high, never);
  EXPECT_EQ(wait_of_draws({never, never}).interval_80.low, never);
}

TEST(WaitScores, MovesEachEndSoThat10PercentOfPastWaitsWereBeyond) {
  std::vector<double> actual;
  for (int i = 0; i < 40; ++i) {
    actual.push_back(100 + 2 * i);  // up to 178
  }
  const forecast::Prediction now{100, {90, 110}};
  const auto wide = calibrated(now, waits_that_were(actual), 5);
  // The 37th of 40 scores (rank 41 times 0.9, rounded up): of 100 + 2 * 36, and of 100 + 2 * 3.
  EXPECT_NEAR(wide.interval_80.high, 172, 1e-9);
  EXPECT_NEAR(wide.interval_80.low, 106, 1e-9);
  EXPECT_NEAR(wide.value, 139, 1e-9);
  const auto narrow = calibrated(now, waits_that_were(std::vector<double>(40, 101)), 5);
  EXPECT_NEAR(narrow.interval_80.low, 101, 1e-9);
  EXPECT_NEAR(narrow.interval_80.high, 101, 1e-9);
}

TEST(WaitScores, KeepsTheIntervalWithTooFewPastWaits) {
  const auto same = calibrated({100, {90, 110}}, waits_that_were(std::vector<double>(19, 500)), 5);
  EXPECT_EQ(same.interval_80.low, 90);
  EXPECT_EQ(same.interval_80.high, 110);
}

TEST(WaitScores, MeasuresWithIntervalsThatOnlyEarlierWaitsCalibrated) {
  std::vector<double> actual(20, 100);
  actual.insert(actual.end(), 20, 300);  // a change that no earlier wait shows
  const auto error = measured_error(waits_that_were(actual), 5);
  EXPECT_EQ(error.n, 40U);
  EXPECT_EQ(error.inside, 38U) << "the first two after the change are outside";
  EXPECT_EQ(error.median_error_s, 100);
}

TEST(WaitScores, CoversAbout80PercentOfExchangeableWaits) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(100, 40);  // the stated interval is far too narrow
  std::vector<double> actual;
  for (int i = 0; i < 400; ++i) {
    actual.push_back(normal(random));
  }
  const auto error = measured_error(waits_that_were(actual), 5);
  const double share = static_cast<double>(error.inside) / static_cast<double>(error.n);
  EXPECT_GT(share, 0.72);
  EXPECT_LT(share, 0.88);
}

TEST(WaitScores, SaysThatNothingWasMeasured) {
  EXPECT_NE(error_text(measured_error({}, 5)).find("not measured"), std::string::npos);
}

}  // namespace
}  // namespace epochcast::queue
