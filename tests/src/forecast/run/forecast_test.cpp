#include "src/forecast/run/forecast.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/src/forecast/run/made_series.hpp"

namespace epochcast::forecast {
namespace {

Forecast forecast_of(const RunSeries& series) {
  return std::get<Forecast>(forecast(series));
}

std::string refusal_of(const RunSeries& series) {
  return std::get<Refusal>(forecast(series)).reason;
}

TEST(Forecast, OfEqualStepsIsTheirProduct) {
  const auto result = forecast_of({.step_s = std::vector<double>(20, 0.5),
                                   .before_s = 3,
                                   .after_epoch_s = 2,
                                   .steps_per_epoch = 100,
                                   .epochs = 4});
  EXPECT_DOUBLE_EQ(result.total_s.value, 3 + 4 * 100 * 0.5 + 4 * 2);
  EXPECT_DOUBLE_EQ(result.spent_s, 3 + 20 * 0.5);
  EXPECT_DOUBLE_EQ(result.steady_step_s, 0.5);
  EXPECT_EQ(result.classification, "flat");
  EXPECT_THAT(result.reasons, testing::IsEmpty());
}

TEST(Forecast, OfARunThatIsDoneIsSureButNotThatOfAnotherRun) {
  const auto done = forecast_of({.step_s = {10, 10, 10}, .steps_per_epoch = 1, .epochs = 3});
  EXPECT_DOUBLE_EQ(done.total_s.interval_95.low, 30);
  EXPECT_DOUBLE_EQ(done.total_s.interval_95.high, 30);
  const auto another = for_another_run(done);
  EXPECT_DOUBLE_EQ(another.total_s.value, 30);
  EXPECT_NEAR(another.total_s.interval_95.low, 30 - 1.96 * 0.005 * 30, 1e-3);
  EXPECT_NEAR(another.total_s.interval_80.high, 30 + 1.2816 * 0.005 * 30, 1e-3);
  const auto wide = forecast_of({.step_s = {10}, .steps_per_epoch = 1, .epochs = 3});
  EXPECT_EQ(for_another_run(wide).total_s.interval_95.high, wide.total_s.interval_95.high);
}

TEST(Forecast, IsTheSumOfItsParts) {
  auto steps = noisy(60, 0.1, 0.02);
  steps[0] = 7;
  const auto result = forecast_of(
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
  const auto result = forecast_of({.step_s = steps, .steps_per_epoch = 40, .epochs = 10});
  EXPECT_EQ(result.classification, "warm-up");
  EXPECT_NEAR(result.total_s.value, 5 + 1 + 0.2 + 397 * 0.1, 1e-9);
  EXPECT_NEAR(result.steady_step_s, 0.1, 1e-12);
}

TEST(Forecast, OfWorkThatWasMeasuredIsWhatItTook) {
  const auto result = forecast_of({.step_s = {4, 2, 2, 2}, .steps_per_epoch = 1, .epochs = 2});
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
  const auto result =
      forecast_of({.step_s = steps, .step_work = work, .work_per_epoch = 320, .epochs = 100});
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

// 2000 trainings of 1000 independent steps, forecast from 200 of them.
TEST(Forecast, ItsIntervalsHoldAtLeastTheirNominalShareForIndependentSteps) {
  constexpr std::size_t seen = 200;
  constexpr std::size_t rest = 800;
  std::mt19937 random(7);
  std::gamma_distribution<double> step(4, 0.025);
  std::gamma_distribution<double> sum_of_rest(4 * rest, 0.025);
  constexpr int runs = 2000;
  int in_80 = 0;
  int in_95 = 0;
  for (int run = 0; run < runs; ++run) {
    std::vector<double> steps(seen);
    for (auto& one : steps) {
      one = step(random);
    }
    const double total_s = total_of(steps) + sum_of_rest(random);
    const auto result = std::get<Forecast>(
        forecast({.step_s = std::move(steps), .steps_per_epoch = seen + rest, .epochs = 1}));
    in_80 += holds(result.total_s.interval_80, total_s) ? 1 : 0;
    in_95 += holds(result.total_s.interval_95, total_s) ? 1 : 0;
  }
  EXPECT_NEAR(in_80, 0.80 * runs, 0.05 * runs);
  EXPECT_NEAR(in_95, 0.95 * runs, 0.03 * runs);
}

}  // namespace
}  // namespace epochcast::forecast
