#include "src/forecast/scaling/step_surface.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace epochcast::forecast {
namespace {

using testing::HasSubstr;

double made_step_s(const StepSetting& at) {
  return 2e-3 + 1e-4 * at.batch / at.threads + 2e-5 * at.batch + 4e-4 * (at.threads - 1);
}

SettingTime made(double batch, double threads) {
  const StepSetting at{.batch = batch, .threads = threads};
  return {at, made_step_s(at)};
}

StepSurface surface_of(std::vector<SettingTime> times) {
  return std::get<StepSurface>(StepSurface::fit(std::move(times)));
}

SurfaceForecast forecast_of_setting(const StepSurface& surface, const StepSetting& asked) {
  return std::get<SurfaceForecast>(surface.forecast(asked));
}

std::string refusal_of(const StepSurface& surface, const StepSetting& asked) {
  return std::get<Refusal>(surface.forecast(asked)).reason;
}

std::vector<SettingTime> batches_and_threads() {
  return {made(16, 1), made(32, 1), made(64, 1), made(128, 1),
          made(32, 2), made(32, 4), made(64, 2), made(64, 4)};
}

TEST(StepSurface, FollowsALawInTwoDimensionsAtOnce) {
  const auto surface = surface_of(batches_and_threads());
  const StepSetting asked{.batch = 128, .threads = 4};
  const auto found = forecast_of_setting(surface, asked);
  EXPECT_NEAR(found.step_s.value / made_step_s(asked), 1, 0.01);
  EXPECT_LT(found.step_s.interval_80.low, made_step_s(asked));
  EXPECT_GT(found.step_s.interval_80.high, made_step_s(asked));
  EXPECT_LT(found.step_s.interval_95.low, found.step_s.interval_80.low);
  EXPECT_NEAR(found.law.step_s(asked) / found.step_s.value, 1, 0.01);
}

// With a fit of every subset of terms for every setting left out, this took hours.
TEST(StepSurface, ManySettingsInFiveDimensionsAreNoBurden) {
  std::mt19937 random(1);
  std::lognormal_distribution<double> noise(0, 0.03);
  std::vector<SettingTime> times;
  for (const double batch : {8, 16, 32, 64}) {
    for (const double length : {64, 128, 256}) {
      for (const double threads : {1, 2, 4}) {
        for (const double workers : {1, 2, 4}) {
          const StepSetting at{.batch = batch,
                               .input_length = length,
                               .layers = batch > 16 ? 8.0 : 4.0,
                               .threads = threads,
                               .workers = workers};
          const double step_s =
              1e-3 * at.layers + 2e-5 * batch * length / threads + 4e-3 * (workers - 1) / workers;
          times.push_back({at, step_s * noise(random)});
        }
      }
    }
  }
  const auto surface = surface_of(times);
  const StepSetting asked{
      .batch = 128, .input_length = 128, .layers = 8, .threads = 4, .workers = 4};
  const double expected_s = 8e-3 + 2e-5 * 128 * 128 / 4 + 4e-3 * 3 / 4;
  EXPECT_NEAR(forecast_of_setting(surface, asked).step_s.value / expected_s, 1, 0.05);
}

/// 32 samples a step on 8 workers; each layout is off by a factor of its own, replicas are alike.
SettingTime made_layout(double tensor, double pipeline, double micro, double workers, double off) {
  const double replicas = workers / (tensor * pipeline);
  const double micro_steps = 32 / replicas / micro + pipeline - 1;
  return {{.batch = 32 / workers,
           .workers = workers,
           .tensor = tensor,
           .pipeline = pipeline,
           .micro_batch = micro},
          micro_steps / pipeline * (0.002 + 0.01 * micro / tensor) * off};
}

TEST(StepSurface, IsLessCertainOfALayoutOfWhichNoReplicaWasMeasured) {
  std::mt19937 random(11);
  std::lognormal_distribution<double> off(0, 0.1);
  std::vector<SettingTime> times;
  for (const double tensor : {1, 2, 4}) {
    for (const double pipeline : {1, 2, 4}) {
      for (const double micro : {1, 2, 4}) {
        const double factor = off(random);
        for (const double workers : {4, 8, 16}) {
          if (tensor * pipeline <= workers && tensor * pipeline * micro != 8) {
            times.push_back(made_layout(tensor, pipeline, micro, workers, factor));
          }
        }
      }
    }
  }
  const auto replicated = made_layout(1, 2, 2, 8, 1).setting;
  std::erase_if(times, [&](const SettingTime& time) { return time.setting == replicated; });
  const auto surface = surface_of(times);
  const auto fresh = made_layout(2, 2, 2, 8, 1).setting;
  EXPECT_LT(forecast_of_setting(surface, replicated).deviation,
            0.7 * forecast_of_setting(surface, fresh).deviation);
  EXPECT_NEAR(forecast_of_setting(surface, fresh).step_s.value / made_layout(2, 2, 2, 8, 1).step_s,
              1, 0.2);
}

TEST(StepSurface, TenDimensionsAreNoBurden) {
  std::mt19937 random(3);
  std::lognormal_distribution<double> noise(0, 0.02);
  std::uniform_int_distribution<int> doublings(0, 2);
  std::vector<SettingTime> times;
  while (times.size() < 150) {
    StepSetting at;
    for (const auto& dimension : dimensions) {
      at.*dimension.value = std::pow(2, doublings(random));
    }
    at.workers *= 16;  // enough for every layout
    times.push_back(
        {at, (0.01 + at.batch * at.flops / at.threads + 0.1 * at.nodes) * noise(random)});
  }
  auto asked = times.back();
  times.pop_back();
  const auto found = forecast_of_setting(surface_of(times), asked.setting);
  EXPECT_NEAR(found.step_s.value / asked.step_s, 1, 0.15);
}

TEST(StepSurface, CountsFlopsAndLayersOfOtherNetworks) {
  std::vector<SettingTime> times;
  for (int depth = 2; depth <= 8; depth += 2) {
    const StepSetting at{.batch = 100, .flops = std::pow(4.0, depth), .layers = double(depth)};
    times.push_back({at, 1e-4 + 5e-5 * at.layers + 1e-8 * at.batch * at.flops});
  }
  const auto found = forecast_of_setting(surface_of(times),
                                         {.batch = 100, .flops = std::pow(4.0, 7), .layers = 7});
  EXPECT_NEAR(found.step_s.value, 1e-4 + 5e-5 * 7 + 1e-8 * 100 * std::pow(4.0, 7), 1e-4);
}

TEST(StepSurface, TakesTheSquareOfTheInputLength) {
  std::vector<SettingTime> times;
  const auto step_s = [](double length) { return 1e-3 + 1e-5 * length + 1e-7 * length * length; };
  for (const double length : {32, 64, 128, 256}) {
    times.push_back({{.batch = 8, .input_length = length}, step_s(length)});
  }
  const auto found = forecast_of_setting(surface_of(times), {.batch = 8, .input_length = 512});
  EXPECT_NEAR(found.step_s.value / step_s(512), 1, 0.05);
}

TEST(StepSurface, RefusesADimensionThatNeverVariedAndNamesTheRun) {
  const auto surface = surface_of({made(16, 1), made(32, 1), made(64, 1)});
  EXPECT_THAT(refusal_of(surface, {.batch = 32, .threads = 4}),
              HasSubstr("all runs have the same number of CPUs per process, 1, so its effect is "
                        "not known; a run with 2 would allow this forecast"));
  EXPECT_THAT(refusal_of(surface, {.batch = 32, .workers = 2}),
              HasSubstr("number of workers, 1, so its effect is not known; a run with 2 "));
  EXPECT_THAT(refusal_of(surface, {.batch = 0}), HasSubstr("not above 0"));
}

TEST(StepSurface, RefusesFarBeyondTwoValues) {
  const auto surface = surface_of({made(16, 1), made(32, 1)});
  EXPECT_NEAR(forecast_of_setting(surface, {.batch = 64}).step_s.value, made_step_s({.batch = 64}),
              1e-9);
  EXPECT_THAT(refusal_of(surface, {.batch = 128}),
              HasSubstr("a batch size of 128 is more than twice beyond the two that were run, 16 "
                        "and 32; a run with 64 "));
}

TEST(StepSurface, RefusesOneOfTwoThatAlwaysChangedTogether) {
  const auto surface = surface_of({made(16, 1), made(32, 2), made(64, 4), made(128, 8)});
  EXPECT_THAT(refusal_of(surface, {.batch = 32, .threads = 4}),
              HasSubstr("batch size and number of CPUs per process always changed together"));
  EXPECT_GT(forecast_of_setting(surface, {.batch = 256, .threads = 16}).step_s.value, 0);
}

TEST(StepSurface, RefusesWhereTheRunsFollowNoLaw) {
  const auto surface =
      surface_of({{{.batch = 16}, 0.01}, {{.batch = 32}, 0.5}, {{.batch = 64}, 0.02}});
  EXPECT_THAT(refusal_of(surface, {.batch = 128}),
              HasSubstr("a run with a batch size of 91 would help"));
}

TEST(StepSurface, IsLessCertainFurtherAway) {
  auto times = batches_and_threads();
  for (std::size_t i = 0; i < times.size(); ++i) {
    times[i].step_s *= i % 2 == 0 ? 1.04 : 0.96;
  }
  const auto surface = surface_of(times);
  const auto inside = forecast_of_setting(surface, {.batch = 48, .threads = 2});
  const auto outside = forecast_of_setting(surface, {.batch = 512, .threads = 4});
  EXPECT_GT(outside.deviation, inside.deviation);
  EXPECT_THAT(outside.reasons, testing::ElementsAre(HasSubstr("more than twice beyond the runs")));
}

TEST(StepSurface, TrustsTheNeighboursOfACliff) {
  std::vector<SettingTime> times;
  for (const double batch : {16, 32, 64, 128, 256, 512}) {
    times.push_back({{.batch = batch}, 1e-3 * batch * (batch > 100 ? 3 : 1)});
  }
  const auto found = forecast_of_setting(surface_of(times), {.batch = 256});
  EXPECT_NEAR(found.step_s.value / (1e-3 * 256 * 3), 1, 0.1);
}

// Whether the outcomes lie in the intervals as often as these promise, on noise of 5 %.
TEST(StepSurface, ItsIntervalsHoldWhatTheyPromise) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, 0.05);
  int inside = 0;
  constexpr int rounds = 300;
  for (int round = 0; round < rounds; ++round) {
    auto times = batches_and_threads();
    for (auto& time : times) {
      time.step_s *= std::exp(noise(random));
    }
    const StepSetting asked{.batch = 128, .threads = 4};
    const auto answer = surface_of(times).forecast(asked);
    const double outcome = made_step_s(asked) * std::exp(noise(random));
    if (const auto* found = std::get_if<SurfaceForecast>(&answer)) {
      inside +=
          found->step_s.interval_80.low <= outcome && outcome <= found->step_s.interval_80.high ? 1
                                                                                                : 0;
    }
  }
  EXPECT_GT(inside, 0.75 * rounds);
}

TEST(StepSurface, NothingAndNonsenseAreRefused) {
  EXPECT_TRUE(std::holds_alternative<Refusal>(StepSurface::fit({})));
  EXPECT_TRUE(std::holds_alternative<Refusal>(StepSurface::fit({{{.batch = 1}, 0}})));
  EXPECT_TRUE(std::holds_alternative<Refusal>(StepSurface::fit({{{.batch = NAN}, 1}})));
}

TEST(StepSurface, OneSettingIsForecastFromItself) {
  const auto surface = surface_of({made(16, 2)});
  EXPECT_NEAR(forecast_of_setting(surface, {.batch = 16, .threads = 2}).step_s.value,
              made_step_s({.batch = 16, .threads = 2}), 1e-9);
}

/// Samples per second of 1, 2, 4 and 8 threads, for some batch sizes.
StepSurface surface_of_threads(const std::vector<double>& throughputs) {
  std::vector<SettingTime> times;
  for (const double batch : {16, 32, 64, 128, 256}) {
    for (std::size_t i = 0; i < throughputs.size(); ++i) {
      const StepSetting at{.batch = batch, .threads = std::pow(2, static_cast<double>(i))};
      times.push_back({at, (batch + 8) / throughputs[i]});
    }
  }
  return surface_of(std::move(times));
}

TEST(StepSurface, MoreThreadsAreNoGainWhereTheLastDoublingWonNothing) {
  std::size_t answered = 0;
  for (const double last : {290, 310, 325, 330, 340, 348}) {
    const auto surface = surface_of_threads({100, 190, 330, last});
    for (const double batch : {24, 32, 256}) {
      const auto answer = surface.forecast({.batch = batch, .threads = 16});
      if (const auto* found = std::get_if<SurfaceForecast>(&answer)) {
        ++answered;
        EXPECT_LE((batch + 8) / found->step_s.value, 1.05 * std::max(330.0, last)) << last;
        EXPECT_THAT(found->reasons, testing::Contains(HasSubstr("no gain: 8 did ")));
      }
    }
  }
  EXPECT_GT(answered, 5);
  const auto some =
      forecast_of_setting(surface_of_threads({100, 190, 330, 360}), {.batch = 32, .threads = 16});
  EXPECT_NEAR(40 / some.step_s.value, 360 + 2 * 30, 5);
}

}  // namespace
}  // namespace epochcast::forecast
