#include "src/forecast/scaling/batch_cost.hpp"

#include <gtest/gtest.h>

namespace epochcast::forecast {
namespace {

TEST(BatchCost, FindsLaunchAndItem) {
  const std::vector<BatchTime> times{{1, 10 + 2}, {8, 10 + 16}, {64, 10 + 128}};
  const auto cost = batch_cost(times).value();
  EXPECT_NEAR(cost.launch_s, 10, 1e-9);
  EXPECT_NEAR(cost.item_s, 2, 1e-9);
  EXPECT_NEAR(largest_error(cost, times), 0, 1e-9);
  const double from = cost.efficient_batch().value();
  EXPECT_NEAR(from / cost.step_s(from), 0.9 / cost.item_s, 1e-9)
      << "nine tenths of the most there can be";
}

TEST(BatchCost, IsNeverNegative) {
  EXPECT_EQ(batch_cost({{1, 1}, {2, 4}})->launch_s, 0);
  EXPECT_EQ(batch_cost({{1, 4}, {2, 1}})->item_s, 0);
  EXPECT_EQ(batch_cost({{1, 4}, {2, 1}})->efficient_batch(), std::nullopt);
}

TEST(BatchCost, NamesNoEfficientSizeBelowTheSmallestMeasured) {
  EXPECT_EQ(batch_cost({{8, 8}, {4, 4}, {16, 16}})->efficient_batch(), 4) << "launching is free";
}

TEST(BatchCost, NeedsTwoSizes) {
  EXPECT_FALSE(batch_cost({}).has_value());
  EXPECT_FALSE(batch_cost({{4, 1}, {4, 2}}).has_value());
}

}  // namespace
}  // namespace epochcast::forecast
