#include "src/forecast/scaling/serial_share.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace epochcast::forecast {
namespace {

double amdahl(double n, double share) {
  return 10 / (share + (1 - share) / n);
}

double gustafson(double n, double share) {
  return 10 * (n - share * (n - 1));
}

std::vector<ScalingPoint> points_of(double (*law)(double, double), double share,
                                    const std::vector<double>& workers) {
  std::vector<ScalingPoint> points;
  for (const double n : workers) {
    points.push_back({n, law(n, share)});
  }
  return points;
}

TEST(SerialShare, IsThatOfTheLawThatMadeThePoints) {
  for (const double share : {0.0, 0.05, 0.4, 1.0}) {
    const auto fixed = serial_share(SerialLaw::amdahl, points_of(amdahl, share, {1, 2, 4, 8}));
    EXPECT_NEAR(fixed.value().share, share, 1e-9);
    EXPECT_NEAR(fixed->low.value(), share, 1e-6);
    EXPECT_NEAR(fixed->high.value(), share, 1e-6);
    const auto grown =
        serial_share(SerialLaw::gustafson, points_of(gustafson, share, {1, 2, 4, 8}));
    EXPECT_NEAR(grown.value().share, share, 1e-9);
    EXPECT_NEAR(grown->error, 0, 1e-9);
  }
}

TEST(SerialShare, DoesNotDependOnTheUnitOfWork) {
  auto points = points_of(gustafson, 0.2, {1, 2, 3});
  points.back().throughput *= 1.1;
  const auto before = serial_share(SerialLaw::amdahl, points);
  for (auto& point : points) {
    point.throughput *= 1e6;
  }
  EXPECT_NEAR(serial_share(SerialLaw::amdahl, points)->share, before->share, 1e-9);
  EXPECT_NEAR(serial_share(SerialLaw::amdahl, points)->high.value(), before->high.value(), 1e-9);
}

TEST(SerialShare, IsNoneWhereMoreWorkersAreSlower) {
  for (const auto law : {SerialLaw::amdahl, SerialLaw::gustafson}) {
    EXPECT_EQ(serial_share(law, {{1, 10}, {2, 6}})->no_law, "more workers are slower");
    const auto repeated = serial_share(law, {{1, 10}, {1, 11}, {2, 4}, {2, 9}});
    EXPECT_EQ(repeated->no_law, "more workers are slower");
    EXPECT_FALSE(repeated->high.has_value());
  }
}

TEST(SerialShare, IsNoneWhereWorkersGainMoreThanTheirNumber) {
  for (const auto law : {SerialLaw::amdahl, SerialLaw::gustafson}) {
    EXPECT_EQ(serial_share(law, {{1, 10}, {2, 30}})->no_law, "workers gain more than their number");
  }
}

TEST(SerialShare, IsZeroWhereTheirGainMayBeChance) {
  for (const auto law : {SerialLaw::amdahl, SerialLaw::gustafson}) {
    const auto found = serial_share(law, {{1, 10}, {1, 11}, {2, 21.5}, {2, 21}});
    EXPECT_EQ(found->no_law, "");
    EXPECT_EQ(found->share, 0);
    EXPECT_EQ(found->low, 0);
    EXPECT_GT(found->high, 0);
    EXPECT_LT(found->high, 1);
    EXPECT_GT(found->error, 0);
  }
}

TEST(SerialShare, HasAnIntervalOfShares) {
  const auto found = serial_share(SerialLaw::amdahl, {{1, 10}, {2, 11}, {4, 15}});
  EXPECT_GE(found->low, 0);
  EXPECT_LE(found->high, 1);
}

TEST(SerialShare, HasNoIntervalWhereNothingIsLeftToJudgeBy) {
  const auto found = serial_share(SerialLaw::amdahl, {{1, 10}, {4, 20}});
  EXPECT_NEAR(found.value().share, 1.0 / 3, 1e-12);
  EXPECT_FALSE(found->low.has_value());
}

TEST(SerialShare, NeedsTwoNumbersOfWorkers) {
  EXPECT_FALSE(serial_share(SerialLaw::amdahl, {}).has_value());
  EXPECT_FALSE(serial_share(SerialLaw::amdahl, {{2, 10}, {2, 11}}).has_value());
  EXPECT_FALSE(serial_share(SerialLaw::amdahl, {{1, 10}, {2, 0}}).has_value());
}

/// Of scattered points the interval holds the share that made them about as often as it says.
TEST(SerialShare, IntervalsHoldTheShareAsOftenAsTheirNominalShare) {
  std::mt19937 random(1);
  std::normal_distribution<double> scatter(0, 0.03);
  for (const auto law : {SerialLaw::amdahl, SerialLaw::gustafson}) {
    int held = 0;
    constexpr int rounds = 1000;
    for (int round = 0; round < rounds; ++round) {
      auto points =
          points_of(law == SerialLaw::amdahl ? amdahl : gustafson, 0.2, {1, 1, 2, 2, 4, 4, 8, 8});
      for (auto& point : points) {
        point.throughput *= std::exp(scatter(random));
      }
      const auto found = serial_share(law, points);
      held += *found->low <= 0.2 && 0.2 <= *found->high ? 1 : 0;
    }
    EXPECT_GT(held, 0.92 * rounds);
    EXPECT_LT(held, 0.98 * rounds);
  }
}

}  // namespace
}  // namespace epochcast::forecast
