#include "src/forecast/run/overdue.hpp"

#include <gtest/gtest.h>

#include <variant>

namespace epochcast::forecast {
namespace {

/// 4 of 10 epochs of 10 s, after 5 s and with 2 s after each epoch: 125 s.
Forecast made() {
  return std::get<Forecast>(forecast({.step_s = {10, 10, 10, 10},
                                      .before_s = 5,
                                      .after_epoch_s = 2,
                                      .steps_per_epoch = 1,
                                      .epochs = 10}));
}

TEST(Overdue, TheRestIsWhatIsNotMeasured) {
  const auto forecast = made();
  EXPECT_DOUBLE_EQ(forecast.rest_s, 60);
  EXPECT_DOUBLE_EQ(forecast.rest_share, 0.6);
}

TEST(Overdue, TheRestOfAResumedRunIsAPartOfTheWholeRun) {
  const auto forecast = std::get<Forecast>(epochcast::forecast::forecast(
      {.step_s = {10, 10}, .steps_per_epoch = 1, .epochs = 10, .epochs_before = 5}));
  EXPECT_DOUBLE_EQ(forecast.rest_share, 0.3);
}

// The fifth epoch begins at 53 s and ends at 63 s.
TEST(Overdue, ARunThatIsSeenInTimeIsNotLate) {
  EXPECT_EQ(overdue_s(made(), {.done = 4, .epochs = 10, .at_s = 51}, 52), 0);
  EXPECT_EQ(overdue_s(made(), {.done = 4, .epochs = 10, .at_s = 51}, 63), 0);
  EXPECT_EQ(overdue_s(made(), {.done = 4, .epochs = 10, .at_s = 51, .spacing = 0.1}, 54), 0);
  EXPECT_EQ(overdue_s(made(), {.done = 5, .epochs = 10, .at_s = 62}, 64), 0) << "early";
}

TEST(Overdue, WhatIsDueAndDoesNotComeMovesTheEnd) {
  const Observation seen{.done = 4, .epochs = 10, .at_s = 51};
  EXPECT_NEAR(overdue_s(made(), seen, 93), 30, 1e-9);
  const auto forecast = made();
  const auto overdue = shifted_if_overdue(forecast, seen, 93);
  EXPECT_NEAR(overdue.total_s.value, forecast.total_s.value + 30, 1e-9);
  EXPECT_NEAR(overdue.total_s.interval_95.low, forecast.total_s.interval_95.low + 30, 1e-9);
  EXPECT_NEAR(overdue.total_s.interval_80.high, forecast.total_s.interval_80.high + 30, 1e-9);
}

TEST(Overdue, ASightingWithinAnEpochTellsBoth) {
  EXPECT_NEAR(overdue_s(made(), {.done = 4.5, .epochs = 10, .at_s = 61, .spacing = 0.1}, 61), 3,
              1e-9);
  EXPECT_NEAR(overdue_s(made(), {.done = 4.5, .epochs = 10, .at_s = 58, .spacing = 0.1}, 63), 4,
              1e-9);
}

TEST(Overdue, TheEndOfAnEpochIsSeenHoweverSeldomStepsAre) {
  EXPECT_NEAR(overdue_s(made(), {.done = 4.9, .epochs = 10, .at_s = 62, .spacing = 0.5}, 64), 1,
              1e-9);
  EXPECT_NEAR(overdue_s(made(), {.done = 9.5, .epochs = 10, .at_s = 118, .spacing = 2}, 124), 1,
              1e-9);
}

TEST(Overdue, AForecastOfNoRestIsNeverLate) {
  EXPECT_EQ(overdue_s({.total_s = 10}, {.done = 1, .epochs = 2, .at_s = 5}, 1000), 0);
}

}  // namespace
}  // namespace epochcast::forecast
