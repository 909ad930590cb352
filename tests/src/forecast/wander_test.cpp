#include "src/forecast/wander.hpp"

#include <gtest/gtest.h>

#include <random>

namespace epochcast::forecast {
namespace {

constexpr double usual = 0.007;

/// The mean probability that simulated series of `count` values wander: a walk, or values about a
/// constant level.
double mean_probability(bool walk, std::size_t count) {
  constexpr int runs = 200;
  std::mt19937 random(7);
  std::normal_distribution<double> error(0, 0.02);
  double sum = 0;
  for (int run = 0; run < runs; ++run) {
    std::vector<double> values;
    for (double level = 1; values.size() < count;) {
      values.push_back(level + (walk ? 0 : error(random)));
      level += walk ? error(random) : 0;
    }
    sum += wander_of(values, usual).probability;
  }
  return sum / runs;
}

TEST(Wander, TellsWalksFromScatterTheBetterTheMoreIsSeen) {
  EXPECT_LT(mean_probability(false, 10), 0.15);
  EXPECT_GT(mean_probability(true, 10), 0.5);
  EXPECT_LT(mean_probability(false, 10), mean_probability(false, 4));
  EXPECT_GT(mean_probability(true, 10), mean_probability(true, 4));
  EXPECT_GT(mean_probability(true, 40), 0.9);
}

TEST(Wander, IsTheSameInEitherDirectionAndAtAnyLevel) {
  const auto forward = wander_of({1.00, 1.01, 1.03, 1.02}, usual);
  const auto backward = wander_of({1.02, 1.03, 1.01, 1.00}, usual);
  const auto higher = wander_of({100, 101, 103, 102}, 100 * usual);
  EXPECT_DOUBLE_EQ(forward.probability, backward.probability);
  EXPECT_DOUBLE_EQ(forward.change, backward.change);
  EXPECT_NEAR(forward.probability, higher.probability, 1e-9);
  EXPECT_NEAR(100 * forward.change, higher.change, 1e-9);
}

TEST(Wander, ChangesByAboutTheDifferencesSeen) {
  std::vector<double> values{1};
  for (int i = 0; i < 30; ++i) {
    values.push_back(values.back() + (i % 3 == 0 ? -0.02 : 0.02));
  }
  EXPECT_NEAR(wander_of(values, usual).change, 0.02, 0.003);
}

TEST(Wander, OfOneValueIsNotKnown) {
  EXPECT_EQ(wander_of({}, usual).probability, 0);
  EXPECT_EQ(wander_of({1}, usual).probability, 0);
}

TEST(Wander, OfEqualValuesIsSmall) {
  EXPECT_LT(wander_of(std::vector<double>(10, 1.0), usual).change, usual);
}

}  // namespace
}  // namespace epochcast::forecast
