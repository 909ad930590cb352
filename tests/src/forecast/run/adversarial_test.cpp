// The properties of public training logs that mislead an extrapolation, each as a case of its own.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/src/forecast/run/made_series.hpp"

namespace epochcast::forecast {
namespace {

using testing::HasSubstr;

Forecast answer_of(const std::variant<Forecast, Refusal>& answer) {
  if (const auto* refusal = std::get_if<Refusal>(&answer)) {
    ADD_FAILURE() << "refused: " << refusal->reason;
    return {};
  }
  return std::get<Forecast>(answer);
}

// maskrcnn: the first epoch is 4 % shorter than the others.
TEST(Adversarial, AShorterFirstEpochIsNotTheRate) {
  auto epochs = noisy(20, 100, 0.004);
  epochs[0] = 96;
  const auto result = answer_of(asked_epochs(epochs, 3));
  EXPECT_NEAR(error_percent(result, total_of(epochs)), 0, 1);
  EXPECT_TRUE(holds(result.total_s.interval_95, total_of(epochs)));
  EXPECT_TRUE(holds(answer_of(asked_epochs(epochs, 1)).total_s.interval_95, total_of(epochs)));
}

// SSD: "epochs" that are evaluation blocks of unequal length. With their samples they are no
// riddle.
TEST(Adversarial, UnequalEpochsAreTakenByTheirSamples) {
  const std::vector<double> samples{1000, 400, 400, 100, 1000, 400, 400, 100};
  RunSeries series{.step_work = samples, .work_per_epoch = 5000, .epochs = 4};
  for (const double count : samples) {
    series.step_s.push_back(0.02 * count);
  }
  EXPECT_NEAR(answer_of(forecast(series)).total_s.value, 0.02 * 5000 * 4, 0.1);
}

// Batch size or sequence length changes late: the last steps take 2.6 times as long.
TEST(Adversarial, AScheduleThatBegunIsInTheIntervalAndNoneWhereTheWorkIsKnown) {
  auto steps = noisy(200, 0.1, 0.03);
  std::vector<double> tokens(200, 512);
  for (std::size_t i = 160; i < 200; ++i) {
    steps[i] *= 2.6;
    tokens[i] *= 2.6;
  }
  const auto blind =
      answer_of(forecast({.step_s = steps, .steps_per_epoch = 1000, .epochs = 1})).total_s;
  EXPECT_TRUE(holds(blind.interval_95, total_of(steps) + 800 * 0.1 * 2.6));
  const double left = 1e6;
  const double seen = 160 * 512 + 40 * 512 * 2.6;
  const auto result = answer_of(
      forecast({.step_s = steps, .step_work = tokens, .work_per_epoch = seen + left, .epochs = 1}));
  const double expected_s = total_of(steps) + left * 0.1 / 512;
  EXPECT_NEAR(error_percent(result, expected_s), 0, 1);
  EXPECT_TRUE(holds(result.total_s.interval_95, expected_s));
}

// After three epochs of a warm-up that goes on, the rest may be much faster.
TEST(Adversarial, AWarmUpOfSeveralEpochsIsInTheInterval) {
  std::vector<double> epochs;
  for (int i = 0; i < 50; ++i) {
    epochs.push_back(60 * (1 + std::exp(-i / 2.0)));
  }
  for (const std::size_t seen : {3u, 5u}) {
    const auto result = answer_of(asked_epochs(epochs, seen));
    EXPECT_TRUE(holds(result.total_s.interval_95, total_of(epochs))) << seen;
  }
}

// A busy neighbour slows some steps in a row, again and again: no sign that the rest goes anywhere.
TEST(Adversarial, ErrorsThatLastForSomeStepsDoNotAddUp) {
  int inside = 0;
  constexpr int runs = 100;
  for (int run = 0; run < runs; ++run) {
    std::mt19937 random(static_cast<unsigned>(run));
    std::normal_distribution<double> change(0, 0.02);
    std::vector<double> steps;
    for (double error = 0; steps.size() < 2000; error = 0.7 * error + change(random)) {
      steps.push_back(0.1 * (1 + error));
    }
    const auto result = answer_of(asked(steps, 800));
    inside += holds(result.total_s.interval_95, total_of(steps)) ? 1 : 0;
    EXPECT_LT(width_of(result.total_s.interval_95) / result.total_s.value, 0.15);
  }
  EXPECT_GE(inside, 90);
}

// A jump that most of the steps lie after is the end of the warm-up.
TEST(Adversarial, ALongPastJumpIsWarmUp) {
  auto steps = noisy(300, 0.1, 0.03);
  for (std::size_t i = 0; i < 60; ++i) {
    steps[i] *= 1.8;
  }
  EXPECT_NEAR(error_percent(answer_of(asked(steps, 200)), total_of(steps)), 0, 1);
}

// detectron2 #559: every 20th iteration stalls for data. The median of iterations said 40 h of 97.
TEST(Adversarial, PeriodicStallsAreCountedAsOftenAsTheyCome) {
  auto steps = noisy(4000, 0.1, 0.02);
  for (std::size_t i = 19; i < steps.size(); i += 20) {
    steps[i] += 3;
  }
  const auto result = answer_of(asked(steps, 310));
  EXPECT_NEAR(error_percent(result, total_of(steps)), 0, 5);
  EXPECT_TRUE(holds(result.total_s.interval_95, total_of(steps)));
}

// mmsegmentation #132: one iteration of 20 s among 90 of 0.3 s. It may come again, or not.
TEST(Adversarial, OneStallIsInTheIntervalAndSoIsThatItMayNotComeAgain) {
  for (const std::size_t place : {20u, 70u}) {
    auto steps = noisy(900, 0.3, 0.02);
    steps[place] = 20;
    const auto result = answer_of(asked(steps, 90));
    EXPECT_TRUE(holds(result.total_s.interval_95, total_of(steps))) << place;
  }
}

// casia's resnet: a point some 5 times off its neighbours.
TEST(Adversarial, OneCorruptRowDoesNotMoveTheForecast) {
  for (const double factor : {9.0, 5.0}) {
    for (const std::size_t place : {2u, 3u, 4u}) {
      auto epochs = noisy(36, 30, 0.003);
      epochs[place] *= factor;
      const auto result = answer_of(asked_epochs(epochs, 5));
      EXPECT_NEAR(error_percent(result, total_of(epochs)), 0, 1.5) << factor << " at " << place;
    }
  }
}

// One epoch: an answer, with an interval that holds first epochs up to 1.6 times as long as others
// and 4 % shorter ones.
TEST(Adversarial, OneEpochGivesAWideInterval) {
  const auto result = answer_of(forecast({.step_s = {100}, .steps_per_epoch = 1, .epochs = 20}));
  EXPECT_DOUBLE_EQ(result.total_s.value, 2000);
  EXPECT_TRUE(holds(result.total_s.interval_95, 100 + 19 * 100 / 1.6));
  EXPECT_TRUE(holds(result.total_s.interval_95, 100 + 19 * 104));
  EXPECT_THAT(result.reasons, testing::ElementsAre(HasSubstr(
                                  "a single epoch: its share of warm-up is not known; one more")));
}

// Early stopping, training to an accuracy.
TEST(Adversarial, AnUnknownNumberOfEpochsIsRefused) {
  const auto answer = forecast({.step_s = {1, 1, 1}, .steps_per_epoch = 1});
  EXPECT_EQ(std::get<Refusal>(answer).reason, "the amount of work is not known");
}

// Start-up longer than the training: N times the time until the end of epoch 1 is 10 times too
// much.
TEST(Adversarial, StartUpIsCountedOnce) {
  const auto result = answer_of(
      forecast({.step_s = {2, 1, 1}, .before_s = 100, .steps_per_epoch = 1, .epochs = 20}));
  EXPECT_NEAR(result.total_s.value, 100 + 2 + 19, 1e-9);
}

// A device that throttles in the last third: both the old rate and the new one may be that of the
// rest.
TEST(Adversarial, AThrottledEndIsInTheInterval) {
  auto steps = noisy(120, 0.1, 0.01);
  for (std::size_t i = 90; i < 120; ++i) {
    steps[i] *= 1.35;
  }
  const auto result =
      answer_of(forecast({.step_s = steps, .steps_per_epoch = 1000, .epochs = 1})).total_s;
  EXPECT_TRUE(holds(result.interval_95, total_of(steps) + 880 * 0.1));
  EXPECT_TRUE(holds(result.interval_95, total_of(steps) + 880 * 0.135));
}

// The rest may go like the faster of two epochs, or go on to get faster; a slow first epoch says
// little of how slow the rest may be.
TEST(Adversarial, ASlowFirstEpochWidensTheLowerEndOnly) {
  for (const double first : {110.0, 120.0, 150.0, 190.0}) {
    const auto result =
        answer_of(forecast({.step_s = {first, 100}, .steps_per_epoch = 1, .epochs = 50}));
    const double rest_s = 48 * 100;
    EXPECT_LE(result.total_s.interval_95.high, 1.15 * (first + 100 + rest_s)) << first;
    EXPECT_LE(result.total_s.interval_95.low, first + 100 + 0.87 * rest_s) << first;
    EXPECT_THAT(result.reasons, testing::Contains(HasSubstr("than the first"))) << first;
  }
  const auto faster =
      answer_of(forecast({.step_s = {10, 20}, .steps_per_epoch = 1, .epochs = 100})).total_s;
  EXPECT_TRUE(holds(faster.interval_95, 10 + 99 * 10)) << "either may be the usual one";
  EXPECT_TRUE(holds(faster.interval_95, 10 + 99 * 30));
}

double total_of_100(const std::vector<double>& seen) {
  return answer_of(forecast({.step_s = seen, .steps_per_epoch = 1, .epochs = 100})).total_s.value;
}

// A second epoch that is slower than the first is no more a stall than a faster one is.
TEST(Adversarial, TheSecondOfTwoEpochsIsTakenInBothDirections) {
  EXPECT_NEAR(total_of_100({10, 12}), 10 + 99 * 12, 1e-9);
  EXPECT_NEAR(total_of_100({10, 20}), 10 + 99 * 20, 1e-9);
  EXPECT_NEAR(total_of_100({20, 10}), 20 + 99 * 10, 1e-9);
  EXPECT_NEAR(total_of_100({10, 10}), 1000, 1e-9);
  EXPECT_NEAR(total_of_100({10, 10.4}), 10 + 99 * 10.4, 1e-9);
}

// Stamps that are too coarse, an epoch that was skipped: an epoch without time is not the rate.
TEST(Adversarial, AnEpochThatTookNoTimeIsNotTheRate) {
  EXPECT_NEAR(total_of_100({10, 0, 10}), 20 + 97 * 10, 1e-9);
  for (const auto& seen : std::vector<std::vector<double>>{{10, 0}, {10, 10, 0}}) {
    const auto answer = forecast({.step_s = seen, .steps_per_epoch = 1, .epochs = 100});
    EXPECT_THAT(std::get<Refusal>(answer).reason, HasSubstr("the last steps took no time"));
  }
}

// Noise of 20 % lengthens no forecast and shortens none, on average over many runs.
TEST(SlowAdversarial, NoiseDoesNotBiasAForecastFromFewEpochs) {
  for (const std::size_t seen : {2, 3, 4, 5}) {
    double error = 0;
    constexpr unsigned runs = 1000;
    for (unsigned run = 0; run < runs; ++run) {
      const auto epochs = noisy(50, 60, 0.2, run);
      error += error_percent(answer_of(asked_epochs(epochs, seen)), total_of(epochs)) / runs;
    }
    EXPECT_NEAR(error, 0, seen == 4 ? 2.5 : 2)
        << seen << " epochs seen";  // one of 4 may be left out
  }
}

// 20 epochs from 10 to 19.5 s, of 100: that it stops now is in the interval; that it goes on to the
// end is not (docs/limits.md).
TEST(Adversarial, ARiseThatStopsIsInTheInterval) {
  std::vector<double> epochs;
  for (int i = 0; i < 20; ++i) {
    epochs.push_back(10 + 0.5 * i);
  }
  const auto result = answer_of(forecast({.step_s = epochs, .steps_per_epoch = 1, .epochs = 100}));
  EXPECT_TRUE(holds(result.total_s.interval_95, 1855));
}

/// How many of 100 runs of 50 epochs with independent noise are in their 95 % interval.
int held_of_noise(double deviation, std::size_t seen) {
  int held = 0;
  for (unsigned run = 0; run < 100; ++run) {
    const auto epochs = noisy(50, 60, deviation, run);
    held +=
        holds(answer_of(asked_epochs(epochs, seen)).total_s.interval_95, total_of(epochs)) ? 1 : 0;
  }
  return held;
}

// What public logs teach of runs that hardly scatter does not narrow the intervals of noisy runs.
TEST(Adversarial, NoiseIsInTheIntervalFromThreeEpochsOn) {
  for (const double deviation : {0.02, 0.1, 0.2}) {
    EXPECT_GE(held_of_noise(deviation, 3), 86) << deviation;
    EXPECT_GE(held_of_noise(deviation, 5), 91) << deviation;
  }
  EXPECT_GE(held_of_noise(0.1, 2), 66);
}

// Two epochs that happen to agree say little of what follows them.
TEST(Adversarial, TheEndAndWhatIsBetweenEpochsAreInTheInterval) {
  RunSeries series{.step_s = {1.002, 1.001},
                   .before_s = 2,
                   .after_epoch_s = 0.1,
                   .gaps_s = {0.1},
                   .steps_per_epoch = 1,
                   .epochs = 10};
  const auto result = answer_of(forecast(series));
  EXPECT_NEAR(result.total_s.value, 13, 0.1);
  EXPECT_GT(result.total_s.interval_95.high, 13.3);
  series.before_s = 1000;  // compilation, a container: no measure of the end
  const auto long_start = answer_of(forecast(series));
  EXPECT_LT(width_of(long_start.total_s.interval_95), 0.04 * long_start.total_s.value);
  EXPECT_GT(width_of(long_start.total_s.interval_95), width_of(result.total_s.interval_95));
}

// A level that moves to and fro is no schedule.
TEST(Adversarial, AFluctuatingLevelIsAveraged) {
  auto steps = noisy(1200, 0.1, 0.01);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i] *= (i / 30) % 2 == 0 ? 1 : 1.2;
  }
  const auto result = answer_of(asked(steps, 240));
  EXPECT_NEAR(error_percent(result, total_of(steps)), 0, 3);
  EXPECT_TRUE(holds(result.total_s.interval_95, total_of(steps)));
}

}  // namespace
}  // namespace epochcast::forecast
