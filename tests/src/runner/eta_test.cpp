#include "src/runner/eta.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/runner/notices.hpp"

namespace epochcast::runner {
namespace {

using ::testing::HasSubstr;

/// Epochs of 10 s after 5 s of start-up, of which `count` have ended.
progress::Rows epochs(std::int64_t first, std::int64_t count) {
  progress::Rows rows;
  for (std::int64_t epoch = first; epoch < first + count; ++epoch) {
    rows.epochs.push_back(
        {.epoch = epoch, .start_s = 5 + 10 * static_cast<double>(epoch - first), .wall_s = 10});
  }
  return rows;
}

record::Record stating(const char* name, const char* value) {
  return {.parameters = {{.name = name, .value = value}}};
}

TEST(Eta, TwoEpochsOfTenTellTheWhole) {
  Eta eta({});
  const auto rows = epochs(0, 2);
  eta.watch({.now_s = 25, .position = {.epochs = 10}, .rows = rows});
  ASSERT_TRUE(eta.forecast().has_value());
  EXPECT_NEAR(eta.forecast()->total_s.value, 105, 1e-6);
  EXPECT_LE(eta.forecast()->total_s.interval_95.low, 105);
  EXPECT_GE(eta.forecast()->total_s.interval_95.high, 105);
  EXPECT_EQ(eta.epochs_done(), 2);
}

TEST(Eta, WithoutTheNumberOfEpochsThereIsNone) {
  Eta eta({});
  const auto rows = epochs(0, 5);
  eta.watch({.now_s = 55, .position = {}, .rows = rows});
  EXPECT_FALSE(eta.forecast().has_value());
}

TEST(Eta, AParameterOfTheRecordStatesTheNumberOfEpochs) {
  Eta eta(stating("epochs", "4"));
  const auto rows = epochs(0, 2);
  eta.watch({.now_s = 25, .position = {.epochs = 10}, .rows = rows});
  ASSERT_TRUE(eta.forecast().has_value());
  EXPECT_NEAR(eta.forecast()->total_s.value, 45, 1e-6);
}

TEST(Eta, EpochsOfAnEarlierAttemptAreNotDoneAgain) {
  Eta eta(stating("epochs", "10"));
  const auto rows = epochs(6, 2);
  eta.watch({.now_s = 25, .position = {}, .rows = rows});
  ASSERT_TRUE(eta.forecast().has_value());
  EXPECT_NEAR(eta.forecast()->total_s.value, 5 + 4 * 10, 1e-6);
}

TEST(Eta, StepsOfTheFirstEpochTellTheWhole) {
  Eta eta({});
  progress::Rows rows;
  for (std::int64_t step = 0; step < 60; ++step) {
    rows.iterations.push_back(
        {.index = step, .start_s = 3 + 0.1 * static_cast<double>(step), .step_s = 0.1});
  }
  eta.watch({.now_s = 9, .position = {.epochs = 2, .steps = 100}, .rows = rows});
  ASSERT_TRUE(eta.forecast().has_value());
  EXPECT_NEAR(eta.forecast()->total_s.value, 3 + 2 * 100 * 0.1, 1e-6);
}

TEST(Eta, MoreStepsThanAreKeptTellTheSame) {
  Eta eta(stating("epochs", "1"));
  for (std::int64_t call = 0; call < 100; ++call) {
    progress::Rows rows;
    for (std::int64_t step = 0; step < 200; ++step) {
      rows.iterations.push_back({.index = call * 200 + step, .step_s = 0.01});
    }
    eta.watch(
        {.now_s = 2.0 * static_cast<double>(call), .position = {.steps = 40000}, .rows = rows});
  }
  ASSERT_TRUE(eta.forecast().has_value());
  EXPECT_NEAR(eta.forecast()->total_s.value, 400, 1);
}

/// A program that prints every tenth step, of 0.1 s each, and never an epoch.
progress::Rows printed_steps(std::int64_t first, std::int64_t count) {
  progress::Rows rows;
  for (std::int64_t row = 1; row <= count; ++row) {
    const auto last = first + 10 * row - 1;
    rows.iterations.push_back(
        {.index = last, .start_s = 3 + 0.1 * static_cast<double>(last - first), .step_s = 0.1});
  }
  return rows;
}

TEST(Eta, AParameterOfTheRecordStatesTheNumberOfSteps) {
  Eta eta(stating("steps", "5000"));
  const auto rows = printed_steps(0, 30);
  eta.watch({.now_s = 33, .position = {}, .rows = rows});
  ASSERT_TRUE(eta.forecast().has_value());
  EXPECT_NEAR(eta.forecast()->total_s.value, 3 + 5000 * 0.1, 1e-6);
  EXPECT_NEAR(eta.forecast()->spent_s, 3 + 300 * 0.1, 1e-6);
  EXPECT_EQ(eta.place(), "step 300 of 5000");
  EXPECT_FALSE(eta.is_done());
  const auto rest = printed_steps(300, 470);
  eta.watch({.now_s = 503, .position = {}, .rows = rest});
  EXPECT_TRUE(eta.is_done());
}

TEST(Eta, StepsOfAnEarlierAttemptAreNotDoneAgain) {
  Eta eta(stating("steps", "5000"));
  const auto rows = printed_steps(4000, 20);
  eta.watch({.now_s = 23, .position = {}, .rows = rows});
  ASSERT_TRUE(eta.forecast().has_value());
  EXPECT_NEAR(eta.forecast()->total_s.value, 3 + 1000 * 0.1, 1e-6);
  EXPECT_EQ(eta.place(), "step 4200 of 5000");
}

TEST(Eta, StepsAreEpochsOnceTheseAreSeen) {
  Eta eta(stating("steps", "950"));
  const auto rows = epochs(0, 2);  // 10 s each
  eta.watch({.now_s = 25, .position = {.steps = 100}, .rows = rows});
  ASSERT_TRUE(eta.forecast().has_value());
  EXPECT_NEAR(eta.forecast()->total_s.value, 5 + 95, 1e-6);
  EXPECT_EQ(eta.place(), "step 200 of 950");
}

TEST(Eta, AnEpochThatLastsLongerMovesTheEnd) {
  Eta eta(stating("epochs", "10"));
  const auto rows = epochs(0, 2);  // until 25 s
  eta.watch({.now_s = 25, .position = {}, .rows = rows});
  EXPECT_NEAR(eta.forecast_at(35)->total_s.value, 105, 1e-6);
  EXPECT_NEAR(eta.forecast_at(42)->total_s.value, 112, 1e-6) << "7 epochs after the open one";
}

TEST(Eta, StepsOfAnOpenEpochTellThatItGoesOn) {
  Eta eta(stating("epochs", "10"));
  auto rows = epochs(0, 2);
  rows.iterations = {{.epoch = 0, .index = 49, .start_s = 9.9, .step_s = 0.1},
                     {.epoch = 1, .index = 49, .start_s = 19.9, .step_s = 0.1}};
  eta.watch({.now_s = 25, .position = {.steps = 100}, .rows = rows});
  rows = {};
  rows.iterations = {{.epoch = 2, .index = 49, .start_s = 33.8, .step_s = 0.2}};
  eta.watch({.now_s = 34, .position = {.steps = 100}, .rows = rows});
  EXPECT_NEAR(eta.forecast_at(34)->total_s.value, 109, 1e-6)
      << "half an epoch took 9 s instead of 5";
  EXPECT_NEAR(eta.forecast_at(36)->total_s.value, 109, 1e-6);
  EXPECT_NEAR(eta.forecast_at(41)->total_s.value, 111, 1e-6) << "the other half takes 7 s already";
}

TEST(Eta, PrintedStepsAreNotLateBeforeTheNextOneIsDue) {
  Eta eta(stating("steps", "5000"));
  const auto rows = printed_steps(0, 30);
  eta.watch({.now_s = 33, .position = {}, .rows = rows});
  EXPECT_NEAR(eta.forecast_at(34)->total_s.value, 503, 1e-6);
  EXPECT_NEAR(eta.forecast_at(37)->total_s.value, 506, 1e-6);
}

TEST(EtaText, NamesTheEpochTheTimeAndItsInterval) {
  setenv("TZ", "UTC", 1);
  tzset();
  forecast::Forecast forecast{.total_s = 3600};
  forecast.total_s.interval_95 = {3000, 4800};
  constexpr double noon_s = 1795867200;  // 2026-11-28
  EXPECT_EQ(eta_text(forecast, "epoch 3 of 10", 1200, noon_s),
            "epoch 3 of 10; done at about 12:40 (12:30 to 13:00), in 40m");
  forecast.total_s.interval_95 = {3590, 3620};
  EXPECT_EQ(eta_text(forecast, "epoch 3 of 10", 3580, noon_s),
            "epoch 3 of 10; done at about 12:00:20 (12:00:10 to 12:00:40), in 20s");
  forecast.total_s.interval_95 = {3000, 4800};
  forecast.total_s.value = 1200 + 86400;
  EXPECT_THAT(eta_text(forecast, "epoch 10 of 10", 1200, noon_s),
              HasSubstr("epoch 10 of 10; done at about 2026-11-29 12:00"));
}

}  // namespace
}  // namespace epochcast::runner
