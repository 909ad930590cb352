#include "src/forecast/run/unit_rate.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace epochcast::forecast {
namespace {

std::vector<Step> units(const std::vector<double>& seconds) {
  std::vector<Step> all;
  for (const double one : seconds) {
    all.push_back({one, 1});
  }
  return all;
}

double rate_of(const std::vector<double>& seconds) {
  return unit_rate(units(seconds), 10).rate;
}

TEST(UnitRate, IsTheMeanOfTheLaterHalfAfterTheFirst) {
  EXPECT_DOUBLE_EQ(rate_of({7}), 7);
  EXPECT_DOUBLE_EQ(rate_of({7, 5}), 5);
  EXPECT_DOUBLE_EQ(rate_of({7, 5, 4}), 4);
  EXPECT_DOUBLE_EQ(rate_of({9, 8, 7, 6, 5, 4}), 5) << "three of five";
  const auto ten = unit_rate(units({9, 9, 9, 9, 9, 1, 2, 3, 4, 5}), 10);
  EXPECT_DOUBLE_EQ(ten.rate, 3);
  EXPECT_EQ(ten.used, 5U);
}

TEST(UnitRate, OfThreeToFiveIsNotThatOfOneStall) {
  EXPECT_DOUBLE_EQ(rate_of({10, 10.2, 50}), 10.2);
  EXPECT_DOUBLE_EQ(rate_of({12, 10, 50}), 50) << "the first two are not alike";
  EXPECT_DOUBLE_EQ(rate_of({10, 10, 10.5}), 10.5) << "machines differ by as much";
  EXPECT_NEAR(rate_of({10, 10, 10.1, 50}), 10.1, 0.06);
  EXPECT_NEAR(rate_of({10, 10, 10.1, 10, 50}), 10.05, 0.06);
  EXPECT_NEAR(rate_of({10, 10, 50, 10.1, 10}), 10.05, 0.06);
  EXPECT_GT(rate_of({10, 10, 10, 20, 21}), 20) << "two are a level";
}

// The formulas of forecast.hpp, by hand.
TEST(UnitRate, HasTheErrorOfTheModel) {
  const auto two = unit_rate(units({102, 100}), 8);
  const double s2 = (2 * 0.012 * 0.012 + 0.02 * 0.02 / 2) / 3;
  EXPECT_NEAR(two.above * two.above, s2 * (1 + 1.0 / 8 + 1), 1e-12);
  EXPECT_NEAR(two.below * two.below, s2 * (1 + 1.0 / 8 + 1) + 0.2 * 0.02 * 0.2 * 0.02, 1e-12);
  const auto slow = unit_rate(units({150, 100}), 8);
  const double most2 = (2 * 0.012 * 0.012 + 0.055 * 0.055 / 2) / 3;
  EXPECT_NEAR(slow.above * slow.above, most2 * (1 + 1.0 / 8 + 1), 1e-12) << "the rest is warm-up";
  const auto far = unit_rate(units({400, 100}), 8);
  EXPECT_NEAR(far.above * far.above, most2 * (1 + 1.0 / 8 + 1) + 0.2 * 0.2, 1e-12);
  const auto three = unit_rate(units({100, 90, 110}), 7);
  const double squares = 2 * (10 / 110.0) * (10 / 110.0);
  EXPECT_NEAR(three.above * three.above,
              (2 * 0.012 * 0.012 + squares) / 3 * (1 + 1.0 / 7 + 1) +
                  0.5 * (1 - 100 / 110.0) * 0.5 * (1 - 100 / 110.0) / 2,
              1e-12);
}

TEST(UnitRate, OfManyHasTheNoiseOfTheLaterHalf) {
  std::vector<double> seconds(20, 10);
  const double quiet = unit_rate(units(seconds), 10).above;
  for (std::size_t i = 0; i < 8; ++i) {
    seconds[i] *= 1.5;
  }
  EXPECT_DOUBLE_EQ(unit_rate(units(seconds), 10).above, quiet);
  seconds[15] *= 1.5;
  EXPECT_GT(unit_rate(units(seconds), 10).above, 2 * quiet);
}

TEST(InBlocks, MakesTenToNineteenOfEqualSizeAndLosesNoWork) {
  for (const std::size_t count : {1u, 9u, 10u, 19u, 20u, 137u, 4095u}) {
    const auto blocks = in_blocks(units(std::vector<double>(count, 2.0)));
    EXPECT_EQ(sum_of(blocks).work, static_cast<double>(count));
    EXPECT_LE(blocks.size(), 19U);
    EXPECT_GE(blocks.size(), std::min<std::size_t>(count, 10));
    EXPECT_EQ(blocks.back().work, static_cast<double>(std::max<std::size_t>(1, count / 10)));
  }
}

}  // namespace
}  // namespace epochcast::forecast
