// What a step waits for, and what that means on another device.
#include "src/forecast/scaling/bottleneck.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace epochcast::forecast {
namespace {

using testing::HasSubstr;
using testing::Optional;

TEST(SplitSteps, TakesTheStepOfACpuForTheDevices) {
  const auto parts = split_steps({{0.01, 0.2, 0}, {0.03, 0.4, 0}}, 0.35, false);
  EXPECT_DOUBLE_EQ(parts.input_s, 0.02);
  EXPECT_DOUBLE_EQ(parts.device_s, 0.3);
  EXPECT_NEAR(parts.sync_s, 0.03, 1e-12);
  EXPECT_DOUBLE_EQ(parts.total_s(), 0.35);
  EXPECT_EQ(not_device_bound(parts), std::nullopt);
}

TEST(SplitSteps, MeasuresLaunchingByTheShortestStepOfAFullQueue) {
  // Launching takes 2 ms; the other steps wait for the device.
  const auto parts = split_steps({{0, 0.002, 0.1}, {0, 0.1, 0.1}, {0, 0.1, 0.1}}, 0.1, false);
  EXPECT_DOUBLE_EQ(parts.device_s, 0.1);
  EXPECT_DOUBLE_EQ(parts.hidden_host_s, 0.002);
  EXPECT_DOUBLE_EQ(parts.host_s, 0);
}

TEST(SplitSteps, GivesTheStepToTheHostWhereLaunchingIsAllOfIt) {
  const auto parts = split_steps({{0, 0.098, 0.1}, {0, 0.099, 0.1}}, 0.1, false);
  EXPECT_DOUBLE_EQ(parts.host_s, 0.1);
  EXPECT_DOUBLE_EQ(parts.device_s, 0);
  EXPECT_THAT(not_device_bound(parts),
              Optional(HasSubstr("launching on the host is 100 % of a step")));
}

TEST(SplitSteps, CannotSeparateLaunchingWhereEveryStepWaits) {
  const auto parts = split_steps({{0, 0.1, 0.1}, {0, 0.1, 0.1}}, 0.1, true);
  EXPECT_DOUBLE_EQ(parts.device_s, 0.1);
  EXPECT_DOUBLE_EQ(parts.hidden_host_s, 0);
}

TEST(SplitSteps, CountsNoWaitDuringWhichTheDeviceComputes) {
  const auto parts = split_steps({{0.03, 0.002, 0.1}}, 0.11, false);
  EXPECT_DOUBLE_EQ(parts.device_s, 0.1);
  EXPECT_NEAR(parts.input_s, 0.01, 1e-12);
  EXPECT_NEAR(step_on_device_s(parts, 10, 1), 1.01, 1e-12);
}

TEST(SplitSteps, NeverHasPartsThatAreNegativeOrAddUpToMore) {
  for (const double wait_s : {0.0, 0.05, 0.5}) {
    for (const double device_s : {0.0, 0.01, 0.3}) {
      for (const double wall_s : {0.0, 0.1, 1.0}) {
        const auto parts = split_steps({{wait_s, 0.01, device_s}}, wall_s, false);
        EXPECT_NEAR(parts.total_s(), wall_s, 1e-12);
        for (const double part : {parts.device_s, parts.host_s, parts.input_s, parts.sync_s}) {
          EXPECT_GE(part, 0) << wait_s << " " << device_s << " " << wall_s;
        }
      }
    }
  }
}

TEST(StepOnDevice, ScalesOnlyTheDevicesPart) {
  const StepParts parts{.device_s = 0.1, .host_s = 0.02, .input_s = 0.03, .sync_s = 0.01};
  EXPECT_DOUBLE_EQ(step_on_device_s(parts, 1, 1), parts.total_s());
  EXPECT_DOUBLE_EQ(step_on_device_s(parts, 0.5, 1), 0.11);
  EXPECT_DOUBLE_EQ(step_on_device_s(parts, 1, 2), 0.18);
}

TEST(StepOnDevice, IsNeverShorterThanItsLaunching) {
  const StepParts parts{.device_s = 0.1, .hidden_host_s = 0.04};
  EXPECT_DOUBLE_EQ(step_on_device_s(parts, 0.5, 1), 0.05);
  EXPECT_DOUBLE_EQ(step_on_device_s(parts, 0.1, 1), 0.04);
}

TEST(NotDeviceBound, NamesTheLargestPart) {
  EXPECT_THAT(not_device_bound(StepParts{.device_s = 1, .input_s = 3}),
              Optional(std::string("waiting for data is 75 % of a step, the device 25 %")));
  EXPECT_THAT(not_device_bound(StepParts{.device_s = 1, .sync_s = 4}),
              Optional(HasSubstr("waiting at the ends of epochs is 80 %")));
}

TEST(FixedShare, FindsTheLineThroughBatchSizes) {
  const std::vector<BatchTime> times{{16, 10 + 16}, {32, 10 + 32}, {64, 10 + 64}};
  EXPECT_NEAR(fixed_share(times, 10).value(), 0.5, 1e-9);
  EXPECT_NEAR(fixed_share(times, 90).value(), 0.1, 1e-9);
  EXPECT_EQ(fixed_share({{16, 10}}, 16), std::nullopt);
  EXPECT_EQ(fixed_share({{16, 10}, {16, 11}}, 16), std::nullopt);
  EXPECT_EQ(fixed_share({}, 16), std::nullopt);
  EXPECT_DOUBLE_EQ(fixed_share({{16, 10}, {32, 40}}, 16).value(), 0) << "never below 0";
  EXPECT_DOUBLE_EQ(fixed_share({{16, 40}, {32, 10}}, 16).value(), 1) << "never above 1";
}

TEST(NotDeviceBound, FlagsSmallBatchesThatDoNotGoWithTheirSize) {
  const std::vector<BatchTime> times{{16, 100 + 16}, {128, 100 + 128}, {512, 100 + 512}};
  EXPECT_THAT(not_device_bound(times, 16), Optional(HasSubstr("86 % of the step do not grow")));
  EXPECT_EQ(not_device_bound(times, 512), std::nullopt);
}

TEST(NotDeviceBound, FlagsABatchWhoseSamplesTakeLongerThanInASmallerOne) {
  const std::vector<BatchTime> times{{64, 64}, {128, 128}, {256, 600}};
  EXPECT_THAT(not_device_bound(times, 256),
              Optional(HasSubstr("samples take 2.34 times as long as in a smaller batch")));
  EXPECT_THAT(not_device_bound(times, 512), Optional(HasSubstr("samples take 2.34")));
  EXPECT_EQ(not_device_bound(times, 128), std::nullopt);
}

}  // namespace
}  // namespace epochcast::forecast
