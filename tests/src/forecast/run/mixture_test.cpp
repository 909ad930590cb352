#include "src/forecast/run/mixture.hpp"

#include <gtest/gtest.h>

namespace epochcast::forecast {
namespace {

TEST(Mixture, OfOneIsANormalDistribution) {
  const std::vector<Component> one{{.center = 100, .below = 10, .above = 10}};
  EXPECT_NEAR(quantile_of(one, 0.5), 100, 1e-9);
  EXPECT_NEAR(quantile_of(one, 0.975), 119.5996, 1e-3);
  EXPECT_NEAR(quantile_of(one, 0.025), 80.4004, 1e-3);
}

TEST(Mixture, EachSideHasItsOwnDeviation) {
  const std::vector<Component> one{{.center = 100, .below = 1, .above = 10}};
  EXPECT_NEAR(quantile_of(one, 0.975), 119.5996, 1e-3);
  EXPECT_NEAR(quantile_of(one, 0.025), 98.0400, 1e-3);
}

TEST(Mixture, ACertainValueIsEveryQuantile) {
  EXPECT_EQ(quantile_of({{.center = 7}}, 0.025), 7);
  EXPECT_EQ(quantile_of({{.center = 7}}, 0.975), 7);
}

// A possibility of 10 % is beyond the 80 % interval and within the 95 % interval.
TEST(Mixture, ReachesWhatIsLikelyEnough) {
  const std::vector<Component> two{{.weight = 0.9, .center = 100, .below = 1, .above = 1},
                                   {.weight = 0.1, .center = 200, .below = 1, .above = 1}};
  EXPECT_LT(quantile_of(two, 0.89), 105);
  EXPECT_NEAR(quantile_of(two, 0.975), 200.67, 0.01);  // a quarter of the tenth is above
}

// A certain value is a jump of the share: quantiles inside it are the value.
TEST(Mixture, FindsAQuantileInAJump) {
  const std::vector<Component> two{{.weight = 0.5, .center = 100, .below = 1, .above = 1},
                                   {.weight = 0.5, .center = 100.5}};
  EXPECT_NEAR(quantile_of(two, 0.5), 100.5, 1e-9);
  EXPECT_NEAR(quantile_of(two, 0.2), 99.7466, 1e-3);  // 0.4 of the first
}

TEST(Mixture, WeightsNeedNotAddUpToOne) {
  const std::vector<Component> one{{.weight = 30, .center = 100, .below = 10, .above = 10}};
  EXPECT_NEAR(quantile_of(one, 0.975), 119.5996, 1e-3);
}

}  // namespace
}  // namespace epochcast::forecast
