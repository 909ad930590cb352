#include "src/forecast/scaling/crossing.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace epochcast::forecast {
namespace {

std::vector<SizedRatio> points_of(const std::vector<double>& ratios, double deviation = 0) {
  std::vector<SizedRatio> points;
  for (const double ratio : ratios) {
    points.push_back({.size = std::pow(10, static_cast<double>(points.size()) + 1),
                      .log_ratio = std::log(ratio),
                      .deviation = deviation});
  }
  return points;
}

TEST(Crossing, LiesBetweenTheLastSlowerAndTheFirstFasterOnLogSize) {
  const auto found = crossing(points_of({0.25, 0.5, 2, 4}));
  EXPECT_EQ(found.value().from, 2u);
  EXPECT_NEAR(found->size.value(), std::pow(10, 2.5), 1e-9);
  EXPECT_NEAR(crossing(points_of({0.25, 2})).value().size.value(), std::pow(10, 1 + 2.0 / 3), 1e-9);
}

TEST(Crossing, IsNotReachedWhereTheSecondIsSlowerAtTheEnd) {
  EXPECT_FALSE(crossing({}).has_value());
  EXPECT_FALSE(crossing(points_of({0.5, 0.9, 1})).has_value());
  EXPECT_FALSE(crossing(points_of({0.5, 2, 0.9})).has_value());
}

TEST(Crossing, CountsFromWhereTheSecondStaysFaster) {
  const auto found = crossing(points_of({0.5, 2, 0.5, 2, 4}));
  EXPECT_EQ(found.value().from, 3u);
  EXPECT_NEAR(found->size.value(), std::pow(10, 3.5), 1e-9);
}

TEST(Crossing, HasNoPlaceWhereTheSecondIsFasterThroughout) {
  const auto found = crossing(points_of({2, 4}));
  EXPECT_EQ(found.value().from, 0u);
  EXPECT_FALSE(found->size.has_value());
}

TEST(Crossing, IsCertainWhereNothingScatters) {
  const auto interval = crossing_interval(points_of({0.25, 0.5, 2, 4}), 2);
  EXPECT_NEAR(interval.low.value(), std::pow(10, 2.5), 1e-9);
  EXPECT_NEAR(interval.high.value(), std::pow(10, 2.5), 1e-9);
}

TEST(Crossing, ReachesAsFarAsTheScatterHidesWhichIsFaster) {
  // A deviation of log 2 at a reach of 1 moves every ratio by a factor of 2.
  const auto interval = crossing_interval(points_of({0.25, 0.7, 1.4, 4}, std::log(2)), 1);
  EXPECT_NEAR(interval.low.value(), std::pow(10, 1 + std::log(2) / std::log(2.8)), 1e-9);
  EXPECT_NEAR(interval.high.value(), std::pow(10, 3 + std::log(1 / 0.7) / std::log(2 / 0.7)), 1e-9);
}

TEST(Crossing, IntervalMayReachBeyondWhatWasMeasured) {
  const auto interval = crossing_interval(points_of({0.7, 1.4}, std::log(2)), 1);
  EXPECT_FALSE(interval.low.has_value());
  EXPECT_FALSE(interval.high.has_value());
}

}  // namespace
}  // namespace epochcast::forecast
