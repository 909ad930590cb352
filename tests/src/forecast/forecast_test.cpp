#include "src/forecast/forecast.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace epochcast {
namespace {

Forecast forecast_of(const Series& series) { return std::get<Forecast>(forecast(series)); }

TEST(Forecast, OfEqualStepsIsTheirProduct) {
  const auto result = forecast_of({.iteration_s = std::vector<double>(20, 0.5),
                                   .before_s = 3,
                                   .behind_epoch_s = 2,
                                   .iterations_per_epoch = 100,
                                   .epochs = 4});
  EXPECT_DOUBLE_EQ(result.total_s, 3 + 4 * 100 * 0.5 + 4 * 2);
  EXPECT_DOUBLE_EQ(result.interval_95.low_s, result.total_s);
  EXPECT_DOUBLE_EQ(result.interval_95.high_s, result.total_s);
  EXPECT_EQ(result.classification, "flat");
  double sum = 0;
  for (const auto& part : result.parts) {
    sum += part.seconds;
  }
  EXPECT_DOUBLE_EQ(sum, result.total_s);
}

TEST(Forecast, CountsTheWarmUpOnce) {
  std::vector<double> steps(40, 0.1);
  steps[0] = 5;
  steps[1] = 1;
  const auto result = forecast_of({.iteration_s = steps, .iterations_per_epoch = 40, .epochs = 10});
  EXPECT_EQ(warm_up_length(steps), 5u);
  EXPECT_EQ(result.classification, "warm-up");
  EXPECT_NEAR(result.total_s, 5 + 1 + 398 * 0.1, 1e-9);
  EXPECT_NEAR(result.steady_iteration_s, 0.1, 1e-12);
}

TEST(Forecast, NeverCutsMoreThanHalf) {
  std::vector<double> falling;
  for (int i = 0; i < 100; ++i) {
    falling.push_back(100 - i);
  }
  EXPECT_EQ(warm_up_length(falling), 50u);
  EXPECT_EQ(warm_up_length({}), 0u);
}

TEST(Forecast, IsRefusedForFewSteps) {
  EXPECT_EQ(std::get<Refusal>(forecast({.iteration_s = std::vector<double>(14, 1.0)})).reason,
            "fewer than 15 steps measured");
  EXPECT_TRUE(std::holds_alternative<Forecast>(forecast({.iteration_s = std::vector<double>(15, 1.0)})));
}

TEST(Forecast, ItsIntervalsHoldWhatTheySayForIndependentSteps) {
  std::mt19937 random(7);
  std::gamma_distribution<double> step(4, 0.025);
  constexpr int runs = 2000;
  int in_80 = 0;
  int in_95 = 0;
  for (int run = 0; run < runs; ++run) {
    std::vector<double> steps(200);
    double total = 0;
    for (int i = 0; i < 1000; ++i) {
      const double one = step(random);
      total += one;
      if (i < 200) {
        steps[static_cast<std::size_t>(i)] = one;
      }
    }
    const auto result = forecast_of({.iteration_s = steps, .iterations_per_epoch = 500, .epochs = 2});
    in_80 += std::abs(total - result.total_s) <= result.interval_80.high_s - result.total_s;
    in_95 += std::abs(total - result.total_s) <= result.interval_95.high_s - result.total_s;
  }
  EXPECT_NEAR(in_80, 0.80 * runs, 0.05 * runs);
  EXPECT_NEAR(in_95, 0.95 * runs, 0.04 * runs);
}

}  // namespace
}  // namespace epochcast
