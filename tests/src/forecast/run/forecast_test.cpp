#include "src/forecast/run/forecast.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "tests/src/forecast/run/made_series.hpp"

namespace epochcast::forecast {
namespace {

Forecast forecast_of_series(const RunSeries& series) {
  return std::get<Forecast>(forecast(series));
}

std::string refusal_of(const RunSeries& series) {
  return std::get<Refusal>(forecast(series)).reason;
}

TEST(Forecast, OfEqualStepsIsTheirProduct) {
  const auto result = forecast_of_series({.step_s = std::vector<double>(20, 0.5),
                                          .before_s = 3,
                                          .after_epoch_s = 2,
                                          .steps_per_epoch = 100,
                                          .epochs = 4});
  EXPECT_DOUBLE_EQ(result.total_s.value, 3 + 4 * 100 * 0.5 + 4 * 2);
  EXPECT_DOUBLE_EQ(result.spent_s, 3 + 20 * 0.5);
  EXPECT_DOUBLE_EQ(result.steady_step_s, 0.5);
  EXPECT_EQ(result.classification, "flat");
  EXPECT_THAT(result.reasons, testing::ElementsAre(
                                  testing::AllOf(testing::StartsWith("no epoch has ended"),
                                                 testing::Not(testing::HasSubstr("checkpoints")))));
}

TEST(Forecast, OfARunThatIsDoneIsSureButNotThatOfAnotherRun) {
  const auto done = forecast_of_series({.step_s = {10, 10, 10}, .steps_per_epoch = 1, .epochs = 3});
  EXPECT_DOUBLE_EQ(done.total_s.interval_95.low, 30);
  EXPECT_DOUBLE_EQ(done.total_s.interval_95.high, 30);
  const auto another = for_another_run(done);
  EXPECT_DOUBLE_EQ(another.total_s.value, 30);
  EXPECT_NEAR(another.total_s.interval_95.low, 30 - 1.96 * 0.005 * 30, 1e-3);
  EXPECT_NEAR(another.total_s.interval_80.high, 30 + 1.2816 * 0.005 * 30, 1e-3);
  const auto wide = forecast_of_series({.step_s = {10}, .steps_per_epoch = 1, .epochs = 3});
  EXPECT_EQ(for_another_run(wide).total_s.interval_95.high, wide.total_s.interval_95.high);
}

TEST(Forecast, IsTheSumOfItsParts) {
  auto steps = noisy(60, 0.1, 0.02);
  steps[0] = 7;
  const auto result = forecast_of_series(
      {.step_s = steps, .before_s = 3, .after_epoch_s = 2, .steps_per_epoch = 100, .epochs = 4});
  ASSERT_EQ(result.parts.size(), 4u);
  EXPECT_DOUBLE_EQ(result.parts[0].seconds, 3);
  EXPECT_DOUBLE_EQ(result.parts[1].seconds, 7);
  EXPECT_NEAR(result.parts[2].seconds, 399 * 0.1, 0.3);
  EXPECT_DOUBLE_EQ(result.parts[3].seconds, 8);
  double sum = 0;
  for (const auto& part : result.parts) {
    sum += part.seconds;
  }
  EXPECT_NEAR(sum, result.total_s.value, 1e-9);
}

TEST(Forecast, CountsTheWarmUpOnce) {
  std::vector<double> steps(40, 0.1);
  steps[0] = 5;
  steps[1] = 1;
  steps[2] = 0.2;
  const auto result = forecast_of_series({.step_s = steps, .steps_per_epoch = 40, .epochs = 10});
  EXPECT_EQ(result.classification, "warm-up");
  EXPECT_NEAR(result.total_s.value, 5 + 1 + 0.2 + 397 * 0.1, 1e-9);
  EXPECT_NEAR(result.steady_step_s, 0.1, 1e-12);
}

TEST(Forecast, OfWorkThatWasMeasuredIsWhatItTook) {
  const auto result =
      forecast_of_series({.step_s = {4, 2, 2, 2}, .steps_per_epoch = 1, .epochs = 2});
  EXPECT_DOUBLE_EQ(result.total_s.value, 6);
  EXPECT_DOUBLE_EQ(result.total_s.interval_95.low, 6);
  EXPECT_DOUBLE_EQ(result.total_s.interval_95.high, 6);
}

TEST(Forecast, CountsWorkNotSteps) {
  // The last batch of an epoch is a third of the others and takes a third of the time.
  std::vector<double> steps;
  std::vector<double> work;
  for (int i = 0; i < 40; ++i) {
    const bool last = i % 4 == 3;
    work.push_back(last ? 32 : 96);
    steps.push_back(last ? 0.1 : 0.3);
  }
  const auto result = forecast_of_series(
      {.step_s = steps, .step_work = work, .work_per_epoch = 320, .epochs = 100});
  EXPECT_NEAR(result.total_s.value, 100, 1e-9);
  EXPECT_NEAR(result.steady_step_s, 0.25, 1e-9);
}

TEST(Forecast, IsRefusedWithItsReason) {
  const std::vector<double> steps(20, 1.0);
  const auto few = first_of(steps, 9);
  EXPECT_EQ(refusal_of({.steps_per_epoch = 9, .epochs = 1}), "no step measured");
  EXPECT_EQ(refusal_of({.step_s = few, .steps_per_epoch = 99, .epochs = 1}),
            "fewer than 10 iterations measured: the warm-up cannot be separated");
  EXPECT_EQ(refusal_of({.step_s = {1, -1}, .steps_per_epoch = 1, .epochs = 3}),
            "a time is negative or no number");
  EXPECT_EQ(refusal_of({.step_s = {1, NAN}, .steps_per_epoch = 1, .epochs = 3}),
            "a time is negative or no number");
  EXPECT_EQ(refusal_of({.step_s = {1, 1}, .step_work = {1}, .epochs = 3}),
            "the work of a step is not known");
  EXPECT_EQ(refusal_of({.step_s = {1, 1}, .steps_per_epoch = 1}),
            "the amount of work is not known");
  EXPECT_EQ(refusal_of({.step_s = {1e308, 1e308}, .steps_per_epoch = 1, .epochs = 9}),
            "the times are too large to add up");
}

/// The share of 300 simulated runs of 50 epochs, from the first `seen` of them, that are inside
/// their 95 % interval. Epochs have noise of 5 %, each `share` of the noise before and its own.
double covered(double share, std::size_t seen) {
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  constexpr int runs = 300;
  int inside = 0;
  for (int run = 0; run < runs; ++run) {
    std::vector<double> epochs;
    double error = normal(random);
    for (int epoch = 0; epoch < 50; ++epoch) {
      epochs.push_back(60 * (1 + 0.05 * error));
      error = share * error + std::sqrt(1 - share * share) * normal(random);
    }
    const auto result = std::get<Forecast>(asked_epochs(epochs, seen));
    inside += holds(result.total_s.interval_95, total_of(epochs)) ? 1 : 0;
  }
  return static_cast<double>(inside) / runs;
}

TEST(Forecast, ItsIntervalsHoldSimulatedNoiseAlsoWhereItDependsOnTheNoiseBefore) {
  for (const std::size_t seen : {2, 3, 5}) {
    EXPECT_GE(covered(0, seen), 0.88) << seen;
    EXPECT_GE(covered(0.6, seen), 0.88) << seen;
    EXPECT_GE(covered(0.9, seen), 0.80) << seen;
  }
}

// A target is reached at any point of the last epoch.
TEST(Forecast, OfARunThatStopsAtATargetHoldsEveryEndWithinItsLastEpoch) {
  RunSeries series{.step_s = {101, 100, 100}, .steps_per_epoch = 1, .epochs = 5};
  const auto without = forecast_of_series(series);
  series.stops_at_target = true;
  const auto result = forecast_of_series(series);
  EXPECT_NEAR(without.total_s.value - result.total_s.value, 50, 1e-9);
  for (const double end_s : {401.5, 450.0, 500.5}) {
    EXPECT_TRUE(holds(result.total_s.interval_80, end_s)) << end_s;
  }
  EXPECT_FALSE(holds(without.total_s.interval_95, 401.5));
}

TEST(Forecast, CountsWhatTheEpochThatHasBegunDid) {
  RunSeries series{.step_s = {100, 100}, .steps_per_epoch = 1, .epochs = 10};
  const auto before = forecast_of_series(series);
  series.begun_work = 0.5;
  series.begun_s = 60;
  const auto result = forecast_of_series(series);
  EXPECT_NEAR(result.total_s.value, 200 + 60 + 7.5 * 100, 1e-9);
  EXPECT_DOUBLE_EQ(result.spent_s, 260);
  EXPECT_LT(width_of(result.total_s.interval_95), width_of(before.total_s.interval_95));
}

TEST(Forecast, TheWarmUpThatStepsShowIsNoPartOfTheRate) {
  RunSeries series{.step_s = {130}, .steps_per_epoch = 1, .epochs = 10, .warm_up_s = 30};
  EXPECT_NEAR(forecast_of_series(series).total_s.value, 130 + 9 * 100, 1e-9);
  EXPECT_GE(forecast_of_series(series).total_s.interval_95.high, 130 + 9 * 130) << "it may recur";
  series.step_s = {130, 100};
  EXPECT_LE(forecast_of_series(series).total_s.interval_95.high, 1.15 * (130 + 9 * 100));
}

// A schedule of batch size or length of sequences may begin later; the share seen decides.
TEST(Forecast, FewStepsOfARunWithoutEpochsSayThatAScheduleMayBeginLater) {
  const auto upper = [](std::int64_t steps) {
    const auto result = forecast_of_series({.step_s = std::vector<double>(100, 1.0),
                                            .gaps_s = std::vector<double>(99, 0.02),
                                            .steps_per_epoch = 1,
                                            .epochs = steps,
                                            .of_blocks = true,
                                            .of_steps = true});
    return result.total_s.interval_95.high / result.total_s.value;
  };
  EXPECT_GT(upper(5000), 2);
  EXPECT_GT(upper(1000), 1.6);
  EXPECT_LT(upper(300), 1.15);
  const auto few = forecast_of_series({.step_s = std::vector<double>(100, 1.0),
                                       .steps_per_epoch = 1,
                                       .epochs = 5000,
                                       .of_blocks = true,
                                       .of_steps = true});
  EXPECT_THAT(few.reasons, testing::Contains(testing::HasSubstr("2 % of the steps were seen")));
}

}  // namespace
}  // namespace epochcast::forecast
