#include "src/forecast/run/left.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <variant>

namespace epochcast::forecast {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Epochs of 100 s after 5 s of start-up, each followed by a checkpoint of 10 s.
ObservedRun ended(std::int64_t count, std::int64_t first = 0) {
  ObservedRun epochs;
  for (std::int64_t epoch = 0; epoch < count; ++epoch) {
    epochs.add({.epoch = first + epoch,
                .start_s = 5 + 110 * static_cast<double>(epoch),
                .wall_s = 100,
                .checkpoint_s = 10});
  }
  return epochs;
}

double value_of(const RunSeries& series) {
  return std::get<Forecast>(forecast(series)).total_s.value;
}

TEST(Left, ForecastsTheEndOfAnyEpochWithWhatFollowsIt) {
  EXPECT_NEAR(value_of(ended(3).series({.epochs = 4})), 5 + 4 * 110, 1e-6);
  EXPECT_NEAR(value_of(ended(3).series({.epochs = 10})), 5 + 10 * 110, 1e-6);
  EXPECT_NEAR(value_of(ended(2, 6).series({.epochs = 9})), 5 + 3 * 110, 1e-6)
      << "an earlier attempt did six";
}

TEST(Left, AnEpochFitsIfItsUpperBoundDoes) {
  const auto run = ended(3);
  const auto high_s = forecast_of_running(run, {.epochs = 4})->total_s.interval_95.high;
  const double now_s = 5 + 3 * 110;
  EXPECT_GT(high_s, now_s + 110);
  EXPECT_EQ(why_not_begin(run, 3, 10, high_s + 0.001, now_s), "");
  EXPECT_THAT(why_not_begin(run, 3, 10, high_s - 0.001, now_s), HasSubstr("left for it"));
  EXPECT_THAT(why_not_begin(run, 3, 10, now_s + 50, now_s),
              StartsWith("epoch 4 of 10 needs up to 2m"));
  EXPECT_THAT(why_not_begin(run, 3, 10, now_s + 50, now_s), HasSubstr("the job has 50s left"));
}

TEST(Left, TimeThatWasLostSinceTheLastEpochIsNotThereForTheNext) {
  const auto run = ended(3);
  const auto high_s = forecast_of_running(run, {.epochs = 4})->total_s.interval_95.high;
  const double late_s = 5 + 3 * 110 + 60;
  EXPECT_NE(why_not_begin(run, 3, 10, high_s + 59, late_s), "");
  EXPECT_EQ(why_not_begin(run, 3, 10, high_s + 61, late_s), "");
}

TEST(Left, NothingIsKnownBeforeTheFirstEpochHasEnded) {
  EXPECT_EQ(why_not_begin(ObservedRun{}, 0, 10, 0, 100), "");
}

TEST(Left, ARunThatCannotEndInTimeIsSoByItsLowerBound) {
  const double low_s = 335 + left_s(ended(3), {.epochs = 10}, 335)->interval_95.low;
  EXPECT_NEAR(low_s,
              std::get<Forecast>(forecast(ended(3).series({.epochs = 10}))).total_s.interval_95.low,
              1e-9);
  const auto text = [&](double end_s) { return over_limit_text(low_s - 335, end_s - 335); };
  EXPECT_EQ(text(low_s + 0.001), "");
  EXPECT_EQ(over_limit_text(2400, 540),
            "the run cannot end within its limit: it needs at least 40m more, and the job ends in "
            "9m");
  EXPECT_NE(text(low_s - 0.001), "");
}

}  // namespace
}  // namespace epochcast::forecast
