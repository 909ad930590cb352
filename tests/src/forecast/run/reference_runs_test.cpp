// Forecasts from relatives. All runs here are simulated, with a known course.
#include "src/forecast/run/reference_runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/src/forecast/run/made_series.hpp"

namespace epochcast::forecast {
namespace {

using ::testing::HasSubstr;

/// `epochs` epochs of `epoch_s`, the first `first` times as long.
std::vector<double> run_of_epochs(std::size_t epochs, double epoch_s, double first) {
  std::vector<double> all(epochs, epoch_s);
  all.front() *= first;
  return all;
}

RunSeries seen_of(const std::vector<double>& epoch_s, std::size_t seen) {
  return {.step_s = first_of(epoch_s, seen), .steps_per_epoch = 1, .epochs = std::ssize(epoch_s)};
}

std::variant<FromReferenceRuns, Refusal> answer(const RunSeries& seen,
                                                const std::vector<ReferenceRun>& reference_runs) {
  const auto without = forecast(seen);
  const auto* found = std::get_if<Forecast>(&without);
  return forecast_from_reference_runs(seen, reference_runs,
                                      found == nullptr ? std::nullopt : std::optional(*found));
}

FromReferenceRuns found(const RunSeries& seen, const std::vector<ReferenceRun>& reference_runs) {
  auto result = answer(seen, reference_runs);
  if (const auto* refusal = std::get_if<Refusal>(&result)) {
    ADD_FAILURE() << refusal->reason;
    return {};
  }
  return std::get<FromReferenceRuns>(result);
}

std::string refusal(const RunSeries& seen, const std::vector<ReferenceRun>& reference_runs) {
  const auto result = answer(seen, reference_runs);
  const auto* refused = std::get_if<Refusal>(&result);
  return refused == nullptr ? "no refusal" : refused->reason;
}

/// On as many systems, all of this course.
std::vector<ReferenceRun> alike_relatives(std::size_t systems, const std::vector<double>& epoch_s) {
  std::vector<ReferenceRun> all;
  for (std::size_t i = 0; i < systems; ++i) {
    all.push_back({.system = "s" + std::to_string(i), .epoch_s = epoch_s, .gaps_s = {}});
  }
  return all;
}

TEST(ReferenceRuns, TellHowLongTheFirstEpochIsBesideTheOthers) {
  const auto run = run_of_epochs(50, 10.2, 1.5);
  const auto answer = found(seen_of(run, 1), alike_relatives(4, run_of_epochs(50, 10, 1.5)));
  EXPECT_NEAR(answer.forecast.total_s.value, total_of(run), 1e-9);
  EXPECT_EQ(answer.systems, 4U);
  EXPECT_TRUE(answer.agree);
  EXPECT_LT(answer.forecast.total_s.interval_95.low, total_of(run));
  EXPECT_GT(answer.forecast.total_s.interval_95.high, total_of(run));
}

TEST(ReferenceRuns, TellWhichEpochsAreLong) {
  auto course = run_of_epochs(20, 10, 1.2);
  course[10] = 60;  // a long evaluation, say
  auto run = course;
  for (auto& one : run) {
    one *= 1.03;
  }
  for (const std::size_t seen : {1, 2, 5}) {
    EXPECT_NEAR(found(seen_of(run, seen), alike_relatives(3, course)).forecast.total_s.value,
                total_of(run), 1e-9);
  }
}

TEST(ReferenceRuns, RepeatsOnOneSystemCountOnce) {
  const auto run = run_of_epochs(30, 10, 1.1);
  auto reference_runs = alike_relatives(3, run_of_epochs(30, 10, 1.1));
  for (int i = 0; i < 20; ++i) {  // as long a first epoch, and faster after it
    reference_runs.push_back(
        {.system = "repeated", .epoch_s = run_of_epochs(30, 11 / 1.15, 1.15), .gaps_s = {}});
  }
  const auto answer = found(seen_of(run, 1), reference_runs);
  EXPECT_EQ(answer.systems, 4U);
  EXPECT_NEAR(answer.near, 4, 1e-9);
  EXPECT_NEAR(answer.forecast.total_s.value, total_of(run), 1e-9);  // three of four
}

TEST(ReferenceRuns, OfOtherLengthsAreCutOrGoOnAtTheirOwnRate) {
  const auto run = run_of_epochs(30, 10, 1.3);
  for (const std::size_t epochs : {12, 30, 90}) {
    const auto reference_runs = alike_relatives(3, run_of_epochs(epochs, 10, 1.3));
    EXPECT_NEAR(found(seen_of(run, 1), reference_runs).forecast.total_s.value, total_of(run), 1e-9)
        << epochs;
  }
}

TEST(ReferenceRuns, TellWhatLiesBetweenEpochsAndFollowsTheLast) {
  const auto run = run_of_epochs(10, 20, 1.1);
  auto seen = seen_of(run, 2);
  seen.before_s = 7;
  seen.gaps_s = {4, 0};  // the second has not ended
  seen.after_epoch_s = 2;
  auto reference_runs = alike_relatives(3, run_of_epochs(10, 20, 1.1));
  for (auto& one : reference_runs) {
    one.gaps_s = std::vector<double>(9, 4);
    one.gaps_s[4] = 24;  // every five epochs, say
    one.end_s = 9;
  }
  const auto answer = found(seen, reference_runs);
  EXPECT_NEAR(answer.forecast.total_s.value, 7 + total_of(run) + 8 * 4 + 24 + 9, 1e-9);
  double parts_s = 0;
  for (const auto& part : answer.forecast.parts) {
    parts_s += part.seconds;
  }
  EXPECT_NEAR(parts_s, answer.forecast.total_s.value, 1e-9);
  EXPECT_NEAR(answer.forecast.parts.back().seconds, 8 * 4 + 24 + 9, 1e-9);
}

TEST(ReferenceRuns, APartOfTheLastEpochIsNotForecast) {
  const auto run = run_of_epochs(10, 10, 1);
  auto seen = seen_of(run, 2);
  seen.unfinished = 0.25;
  EXPECT_NEAR(found(seen, alike_relatives(3, run)).forecast.total_s.value, 97.5, 1e-9);
}

TEST(ReferenceRuns, ThoseThatResembleTheRunCountMost) {
  auto reference_runs = alike_relatives(3, run_of_epochs(40, 10, 1.5));
  for (int i = 0; i < 3; ++i) {
    reference_runs.push_back(
        {.system = "fast" + std::to_string(i), .epoch_s = run_of_epochs(40, 2, 1.1), .gaps_s = {}});
  }
  const auto run = run_of_epochs(40, 10.1, 1.5);
  EXPECT_NEAR(found(seen_of(run, 1), reference_runs).forecast.total_s.value, total_of(run), 1e-6);
  const auto other = run_of_epochs(40, 2.02, 1.1);
  EXPECT_NEAR(found(seen_of(other, 1), reference_runs).forecast.total_s.value, total_of(other),
              1e-6);
}

TEST(ReferenceRuns, ThatDisagreeAreRefused) {
  std::vector<ReferenceRun> reference_runs;
  for (const double first : {1.0, 1.6, 2.4, 4.0}) {
    reference_runs.push_back({.system = "first " + std::to_string(first),
                              .epoch_s = run_of_epochs(40, 15 / first, first),
                              .gaps_s = {}});
  }
  EXPECT_THAT(refusal(seen_of(run_of_epochs(40, 10, 1.5), 1), reference_runs),
              HasSubstr("the relatives disagree: the middle 80 % of them differ by "));
}

TEST(ReferenceRuns, ThatTheRunDoesNotResembleAreRefused) {
  EXPECT_THAT(refusal(seen_of(run_of_epochs(40, 10, 1.5), 1),
                      alike_relatives(2, run_of_epochs(40, 100, 1.5))),
              HasSubstr("resembles none of 2 systems"));
  EXPECT_THAT(
      refusal(seen_of(run_of_epochs(40, 10, 1.5), 2), alike_relatives(2, run_of_epochs(40, 10, 1))),
      HasSubstr("resembles none of 2 systems"));
}

TEST(ReferenceRuns, NeedWholeEpochsFromTheFirstOn) {
  const auto reference_runs = alike_relatives(3, run_of_epochs(10, 10, 1));
  EXPECT_THAT(
      refusal({.step_s = noisy(50, 1, 0.01), .steps_per_epoch = 100, .epochs = 10}, reference_runs),
      HasSubstr("no epoch has ended"));
  auto resumed = seen_of(run_of_epochs(10, 10, 1), 3);
  resumed.epochs_before = 2;
  EXPECT_THAT(refusal(resumed, reference_runs), HasSubstr("in another record"));
  EXPECT_THAT(refusal(seen_of(run_of_epochs(10, 10, 1), 10), reference_runs),
              HasSubstr("all its epochs have ended"));
  EXPECT_THAT(refusal(seen_of(run_of_epochs(20, 10, 1), 10), reference_runs),
              HasSubstr("no relative has more than 10 epochs"));
  EXPECT_THAT(refusal(seen_of(run_of_epochs(20, 0, 1), 1), reference_runs),
              HasSubstr("an epoch took no time"));
  EXPECT_THAT(
      refusal(seen_of(run_of_epochs(10, 10, 1), 1), alike_relatives(3, run_of_epochs(10, 0, 1))),
      HasSubstr("no relative has more than 1 epoch"));
}

TEST(ReferenceRuns, OneSystemCannotAgreeWithItself) {
  const auto run = run_of_epochs(50, 10, 1.5);
  const auto one = found(seen_of(run, 1), alike_relatives(1, run));
  const auto four = found(seen_of(run, 1), alike_relatives(4, run));
  EXPECT_FALSE(one.agree);
  EXPECT_TRUE(four.agree);
  EXPECT_NEAR(one.forecast.total_s.value, total_of(run), 1e-9);
  const auto width = [](const Interval& interval) { return interval.high - interval.low; };
  EXPECT_GT(width(one.forecast.total_s.interval_80), width(four.forecast.total_s.interval_80));
}

TEST(ReferenceRuns, AreForecastEvenWhereTheRunAloneIsNot) {
  const auto run = run_of_epochs(50, 10, 1.5);
  const auto result = forecast_from_reference_runs(seen_of(run, 1), alike_relatives(2, run), {});
  ASSERT_TRUE(std::holds_alternative<FromReferenceRuns>(result));
  EXPECT_NEAR(std::get<FromReferenceRuns>(result).forecast.total_s.value, total_of(run), 1e-9);
}

/// A program on systems whose speeds, first epochs and noise differ.
struct SimulatedProgram {
  std::mt19937 random;
  double first_deviation = 0.03;

  std::vector<double> run() {
    std::normal_distribution<double> normal;
    const double speed = 10 * std::exp(0.02 * normal(random));
    auto epoch_s = run_of_epochs(40, speed, 1.4 * std::exp(first_deviation * normal(random)));
    for (auto& one : epoch_s) {
      one *= std::exp(0.005 * normal(random));
    }
    return epoch_s;
  }
};

/// Simulated runs of one program on as many systems, each on its own.
std::vector<ReferenceRun> simulated_relatives(SimulatedProgram& program, int systems) {
  std::vector<ReferenceRun> all;
  for (int system = 0; system < systems; ++system) {
    all.push_back({.system = std::to_string(system), .epoch_s = program.run(), .gaps_s = {}});
  }
  return all;
}

// A share of 0.80 of 300 has a standard error of 0.023, one of 0.95 of 0.013.
TEST(ReferenceRuns, TheirIntervalsCoverSimulatedRunsOfTheSameProgram) {
  constexpr int runs = 300;
  for (const std::size_t seen : {1, 2}) {
    int answered = 0;
    int inside_80 = 0;
    int inside_95 = 0;
    SimulatedProgram program{std::mt19937(7)};
    for (int i = 0; i < runs; ++i) {
      const auto reference_runs = simulated_relatives(program, 6);
      const auto run = program.run();
      const auto result = answer(seen_of(run, seen), reference_runs);
      if (const auto* one = std::get_if<FromReferenceRuns>(&result)) {
        const double actual_s = total_of(run);
        const auto holds = [&](const Interval& interval) {
          return interval.low <= actual_s && actual_s <= interval.high ? 1 : 0;
        };
        ++answered;
        inside_80 += holds(one->forecast.total_s.interval_80);
        inside_95 += holds(one->forecast.total_s.interval_95);
      }
    }
    EXPECT_GE(answered, 0.9 * runs) << seen;
    EXPECT_GE(inside_80, 0.73 * answered) << seen;
    EXPECT_GE(inside_95, 0.91 * answered) << seen;
  }
}

TEST(ReferenceRuns, IntervalsAreNestedAndBeginAtWhatWasSpent) {
  SimulatedProgram program{std::mt19937(3), 0.1};
  for (int i = 0; i < 50; ++i) {
    const auto reference_runs = simulated_relatives(program, 1 + i % 5);
    const auto result = answer(seen_of(program.run(), 1), reference_runs);
    if (const auto* found = std::get_if<FromReferenceRuns>(&result)) {
      const auto& forecast = found->forecast;
      EXPECT_LE(forecast.spent_s, forecast.total_s.interval_95.low);
      EXPECT_LE(forecast.total_s.interval_95.low, forecast.total_s.interval_80.low);
      EXPECT_LE(forecast.total_s.interval_80.low, forecast.total_s.value);
      EXPECT_LE(forecast.total_s.value, forecast.total_s.interval_80.high);
      EXPECT_LE(forecast.total_s.interval_80.high, forecast.total_s.interval_95.high);
    }
  }
}

TEST(ReferenceRatios, TheTypicalEpochIsNotTheFirst) {
  EXPECT_DOUBLE_EQ(typical_epoch_s({30, 10, 12}, 1), 30);
  EXPECT_DOUBLE_EQ(typical_epoch_s({30, 10, 12}, 2), 10);
  EXPECT_DOUBLE_EQ(typical_epoch_s({30, 10, 12}, 3), 11);
  EXPECT_DOUBLE_EQ(typical_epoch_s({30, 20, 10, 50, 12}, 5), 12);
}

// Both stop at a target: a fortieth of an epoch is not subtracted from another fortieth.
TEST(ReferenceRatios, ALastEpochThatWasCutIsNoWholeOneOfARunThatIsCutToo) {
  auto cut = run_of_epochs(5, 10, 1);
  cut.back() = 0.25;
  auto seen = seen_of(run_of_epochs(5, 10, 1), 2);
  seen.unfinished = 0.975;
  const auto found = reference_ratios(seen, {{"s", cut, {}, 0}});
  EXPECT_NEAR(std::exp(found.front().log_ratio), 2.025, 1e-9);
}

TEST(ReferenceRatios, ClosenessFallsWithSpeedAndCourse) {
  const auto weight_of = [](const std::vector<double>& run, const std::vector<double>& reference) {
    return reference_ratios(seen_of(run, 3), {{"s", reference, {}, 0}}).front().weight;
  };
  const auto run = run_of_epochs(10, 10, 1.5);
  EXPECT_DOUBLE_EQ(weight_of(run, run), 1);
  double before = 1;
  for (const double faster : {1.02, 1.05, 1.1, 1.5, 3.0}) {
    const double weight = weight_of(run, run_of_epochs(10, 10 / faster, 1.5));
    EXPECT_LT(weight, before);
    before = weight;
  }
  before = 1;
  for (const double first : {1.49, 1.45, 1.3, 1.0}) {
    const double weight = weight_of(run, run_of_epochs(10, 10, first));
    EXPECT_LT(weight, before);
    before = weight;
  }
}

}  // namespace
}  // namespace epochcast::forecast
