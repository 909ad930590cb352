// Evaluations between blocks: seen, stated and neither.
#include "src/forecast/run/pauses.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/forecast/run/prior_constants.hpp"

namespace epochcast::forecast {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Blocks of 100 samples and 10 s, the first with 400, of 1000 samples in 7 blocks.
RunSeries blocks(std::vector<double> gaps_s) {
  RunSeries series{.gaps_s = std::move(gaps_s),
                   .steps_per_epoch = 1,
                   .work_per_epoch = 1000.0 / 7,
                   .epochs = 7,
                   .of_blocks = true,
                   .ends_with_step = true};
  for (std::size_t i = 0; i <= series.gaps_s.size(); ++i) {
    series.step_work.push_back(i == 0 ? 400 : 100);
    series.step_s.push_back(series.step_work.back() / 10);
  }
  return series;
}

Forecast forecast_of_blocks(const RunSeries& series) {
  return std::get<Forecast>(forecast(series));
}

TEST(Pauses, BetweenBlocksTakeAsLongAsThoseSeen) {
  const auto one = pauses_of(blocks({2}), 0.1);
  EXPECT_NEAR(one.seconds, 2 + 5 * 2, 1e-9);
  EXPECT_THAT(one.reasons, IsEmpty());
  EXPECT_TRUE(one.known);
  EXPECT_NEAR(pauses_of(blocks({5, 2, 2}), 0.1).seconds, 9 + 3 * 2, 1e-9) << "the first is longer";
  EXPECT_NEAR(pauses_of(blocks({3, 2, 2}), 0.1).seconds, 7 + 3 * 7.0 / 3, 1e-9) << "noise";
  EXPECT_NEAR(forecast_of_blocks(blocks({2})).total_s.value, 100 + 2 + 10, 1e-6);
}

TEST(Pauses, ThatAreStatedAndNotSeenAreAssumedAndNamed) {
  auto series = blocks({0});
  series.schedules = {{.first = 700, .every = 100}};  // at 700, 800 and 900; 1000 is the end
  const auto stated = pauses_of(series, 0.1);
  EXPECT_NEAR(stated.seconds, 3 * unseen_evaluation * 10, 1e-9);
  EXPECT_GT(stated.above_s, stated.below_s);
  EXPECT_THAT(stated.reasons, ElementsAre(HasSubstr("after 700 units of work, and every 100")));
  EXPECT_TRUE(stated.known);
  series.ends_with_step = false;
  EXPECT_NEAR(pauses_of(series, 0.1).seconds, 4 * unseen_evaluation * 10, 1e-9);
}

TEST(Pauses, ThatAreStatedAndSeenTakeWhatTheyTook) {
  auto series = blocks({0.5, 3.5, 0.5});
  series.schedules = {{.first = 500, .every = 200}};  // 500 seen; 700 and 900 to come
  EXPECT_NEAR(pauses_of(series, 0.1).seconds, 4.5 + 3 * 0.5 + 2 * 3, 1e-9);
}

TEST(Pauses, ThatBeganLateAreExtrapolatedByTheScheduleSeen) {
  auto series = blocks({0, 0, 0, 4});  // after 700
  series.epochs = 17;
  series.work_per_epoch = 2000.0 / 17;
  EXPECT_NEAR(pauses_of(series, 0.1).seconds, 4 + 4, 1e-9) << "at 1400 again";
}

TEST(Pauses, NeitherSeenNorStatedWidenTheUpperEnd) {
  const auto series = blocks({0});
  const auto unknown = pauses_of(series, 0.1);
  EXPECT_EQ(unknown.seconds, 0);
  EXPECT_FALSE(unknown.known);
  EXPECT_THAT(forecast_of_blocks(series).reasons,
              Contains(HasSubstr("no evaluation was seen or stated")));
  auto told = series;
  told.schedules = {{.first = 5000, .every = 5000}};
  const auto wide = forecast_of_blocks(series).total_s;
  const auto narrow = forecast_of_blocks(told).total_s;
  EXPECT_GT(wide.interval_95.high, narrow.interval_95.high + 1.5);
  EXPECT_NEAR(wide.interval_95.low, narrow.interval_95.low, 0.5);
}

TEST(Pauses, AfterEpochsFollowAStatedScheduleToo) {
  RunSeries series{
      .step_s = {10, 10}, .after_epoch_s = 1, .gaps_s = {0, 2}, .steps_per_epoch = 1, .epochs = 10};
  EXPECT_NEAR(pauses_of(series, 10).seconds, 10, 1e-9);
  series.schedules = {{.first = 2, .every = 4}};  // after 2, 6 and 10
  EXPECT_NEAR(pauses_of(series, 10).seconds, 2 + 2 * 2, 1e-9);
}

}  // namespace
}  // namespace epochcast::forecast
