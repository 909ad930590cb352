// What holds for every forecast.
#include <cmath>

#include "tests/src/forecast/run/made_series.hpp"

namespace epochcast::forecast {
namespace {

RunSeries series_of(std::vector<double> steps) {
  return {.step_s = std::move(steps),
          .before_s = 3,
          .after_epoch_s = 1,
          .steps_per_epoch = 50,
          .epochs = 20};
}

TEST(Properties, TwiceTheTimesGiveTwiceTheForecastAndItsInterval) {
  for (const std::size_t count : {10u, 30u, 90u, 400u}) {
    auto steps = noisy(count, 0.1, 0.05);
    steps[0] = 2;
    steps[count / 2] = 1;
    const auto once = std::get<Forecast>(forecast(series_of(steps)));
    for (auto& step : steps) {
      step *= 2;
    }
    auto doubled = series_of(steps);
    doubled.before_s *= 2;
    doubled.after_epoch_s *= 2;
    const auto twice = std::get<Forecast>(forecast(doubled));
    EXPECT_NEAR(twice.total_s.value, 2 * once.total_s.value, 1e-9 * once.total_s.value);
    for (const auto level : {&Prediction::interval_80, &Prediction::interval_95}) {
      EXPECT_NEAR((twice.total_s.*level).low, 2 * (once.total_s.*level).low,
                  1e-9 * once.total_s.value);
      EXPECT_NEAR((twice.total_s.*level).high, 2 * (once.total_s.*level).high,
                  1e-9 * once.total_s.value);
    }
  }
}

TEST(Properties, AnotherUnitOfWorkChangesNothing) {
  auto series = series_of(noisy(40, 0.1, 0.05));
  const auto steps = std::get<Forecast>(forecast(series));
  series.step_work = std::vector<double>(40, 256);
  series.work_per_epoch = 50 * 256;
  const auto samples = std::get<Forecast>(forecast(series));
  EXPECT_NEAR(samples.total_s.value, steps.total_s.value, 1e-9 * steps.total_s.value);
  EXPECT_NEAR(width_of(samples.total_s.interval_95), width_of(steps.total_s.interval_95),
              1e-9 * steps.total_s.value);
}

/// Of the 95 % interval over `runs`, of which next to none may be refused.
double mean_width(const std::vector<std::vector<double>>& runs, std::size_t seen) {
  double sum = 0;
  int answered = 0;
  for (const auto& run : runs) {
    const auto answer = asked(run, seen);
    if (const auto* found = std::get_if<Forecast>(&answer)) {
      sum += width_of(found->total_s.interval_95);
      ++answered;
    }
  }
  EXPECT_GE(answered, 0.99 * static_cast<double>(runs.size()));
  return sum / answered;
}

TEST(SlowProperties, MoreIterationsDoNotWidenTheIntervalOnAverage) {
  for (const double deviation : {0.005, 0.05, 0.3}) {
    std::vector<std::vector<double>> runs;
    for (unsigned run = 0; run < 300; ++run) {
      runs.push_back(noisy(1000, 1, deviation, run));
    }
    double before = mean_width(runs, 10);
    for (const std::size_t seen : {15u, 25u, 45u, 60u, 120u, 250u, 500u}) {
      const double width = mean_width(runs, seen);
      EXPECT_LE(width, 1.02 * before) << seen << " steps, deviation " << deviation;
      before = width;
    }
  }
}

TEST(SlowProperties, MoreEpochsDoNotWidenTheIntervalOnAverage) {
  double before = std::numeric_limits<double>::infinity();
  for (const std::size_t seen : {1u, 2u, 3u, 5u, 8u, 12u, 20u}) {
    double sum = 0;
    for (unsigned run = 0; run < 300; ++run) {
      sum += width_of(
          std::get<Forecast>(asked_epochs(noisy(40, 60, 0.007, run), seen)).total_s.interval_95);
    }
    EXPECT_LE(sum, 1.02 * before) << seen << " epochs";
    before = sum;
  }
}

/// Anything finite: times from 1e-9 to 1e9 s, equal ones, zeros, jumps, odd work.
RunSeries random_series(std::mt19937& random) {
  const auto pick = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
  const auto size = [&] {
    return std::pow(10, std::uniform_real_distribution<double>(-9, 9)(random));
  };
  RunSeries series{.before_s = pick(1) * size(),
                   .after_epoch_s = pick(1) * size(),
                   .steps_per_epoch = 1 + pick(3) * pick(300),
                   .epochs = 1 + pick(400)};
  const int count = 1 + (pick(1) == 0 ? pick(12) : pick(700));
  const double scale = size();
  const int kind = pick(4);
  const bool has_work = pick(3) == 0;
  for (int i = 0; i < count; ++i) {
    const double noise = std::uniform_real_distribution<double>(0, 1)(random);
    const double times[] = {scale, scale * noise, size(), pick(1) * scale,
                            i > 50 ? scale * 3 : scale};
    series.step_s.push_back(times[kind]);
    if (has_work) {
      series.step_work.push_back(pick(1) == 0 ? 64 : size());
    }
  }
  series.work_per_epoch = 64 * size();
  return series;
}

TEST(SlowProperties, NoInputGivesAnInvalidTime) {
  std::mt19937 random(11);
  int answered = 0;
  for (int i = 0; i < 8000; ++i) {
    const auto answer = forecast(random_series(random));
    if (const auto* found = std::get_if<Forecast>(&answer)) {
      ++answered;
      for (const auto& interval : {found->total_s.interval_80, found->total_s.interval_95}) {
        ASSERT_TRUE(std::isfinite(interval.low) && std::isfinite(interval.high)) << i;
        ASSERT_LE(0, interval.low) << i;
        ASSERT_LE(interval.low, found->total_s.value * (1 + 1e-12)) << i;
        ASSERT_LE(found->total_s.value, interval.high * (1 + 1e-12)) << i;
      }
      ASSERT_LE(width_of(found->total_s.interval_80),
                width_of(found->total_s.interval_95) * (1 + 1e-12))
          << i;
      ASSERT_LE(found->spent_s, found->total_s.value * (1 + 1e-12)) << i;
      for (const auto& part : found->parts) {
        ASSERT_GE(part.seconds, 0) << "part " << static_cast<int>(part.kind) << ", series " << i;
      }
    } else {
      ASSERT_FALSE(std::get<Refusal>(answer).reason.empty());
    }
  }
  EXPECT_GT(answered, 4000);
}

}  // namespace
}  // namespace epochcast::forecast
