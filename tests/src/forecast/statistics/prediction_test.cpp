#include "src/forecast/statistics/prediction.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace epochcast::forecast {
namespace {

const Prediction ten{10, {8, 13}, {6, 16}};

void expect_equal(const Prediction& found, const Prediction& expected) {
  EXPECT_DOUBLE_EQ(found.value, expected.value);
  for (const auto level : {&Prediction::interval_80, &Prediction::interval_95}) {
    EXPECT_DOUBLE_EQ((found.*level).low, (expected.*level).low);
    EXPECT_DOUBLE_EQ((found.*level).high, (expected.*level).high);
  }
}

TEST(Prediction, MovesAndGrowsAsAWhole) {
  expect_equal(ten + 5, {15, {13, 18}, {11, 21}});
  expect_equal(ten * 2, {20, {16, 26}, {12, 32}});
  expect_equal(inverse(ten), {1.0 / 10, {1.0 / 13, 1.0 / 8}, {1.0 / 16, 1.0 / 6}});
}

TEST(Prediction, DistancesOfIndependentValuesAddUpInQuadrature) {
  const Prediction other{20, {20 - 1.5, 24}, {17, 28}};
  expect_equal(sum_of_independent({ten, other}), {30, {30 - 2.5, 35}, {25, 40}});
  expect_equal(sum_of_independent({ten, {0, {-100, 0}, {-100, 0}}}), {10, {0, 13}, {0, 16}});
}

TEST(Prediction, IsTheSameInBothDirectionsByLogWidths) {
  const auto found = with_log_widths(2, std::log(2), std::log(4));
  expect_equal(found, {2, {1, 4}, {0.5, 8}});
  expect_equal(inverse(found), with_log_widths(0.5, std::log(2), std::log(4)));
}

TEST(Prediction, AnIntervalThatIsNotKnownHoldsNothing) {
  EXPECT_FALSE(Prediction{3}.interval_80.is_known());
  EXPECT_FALSE(Prediction{3}.interval_80.holds(3));
  EXPECT_FALSE(sum_of_independent({ten, {1}}).interval_95.is_known());
  EXPECT_TRUE(ten.interval_80.holds(8));
  EXPECT_FALSE(ten.interval_80.holds(13.1));
}

}  // namespace
}  // namespace epochcast::forecast
