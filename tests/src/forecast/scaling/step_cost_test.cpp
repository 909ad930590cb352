#include "src/forecast/scaling/step_cost.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace epochcast::forecast {
namespace {

constexpr StepLaw truth{2e-4, 3e-5, 1e-11};

NetworkStep step_of(const StepLaw& law, double layers, double flops) {
  return {layers, flops, law.step_s(layers, flops)};
}

StepCost cost_of(const std::vector<NetworkStep>& steps) {
  return std::get<StepCost>(step_cost(steps));
}

TEST(StepCost, ThreeStepsGiveLaunchingLayersAndRate) {
  const auto cost =
      cost_of({step_of(truth, 2, 1e3), step_of(truth, 7, 1e7), step_of(truth, 13, 1e10)});
  EXPECT_NEAR(cost.law.fixed_s, truth.fixed_s, 1e-9);
  EXPECT_NEAR(cost.law.layer_s, truth.layer_s, 1e-9);
  EXPECT_NEAR(cost.law.flop_s, truth.flop_s, 1e-16);
  EXPECT_NEAR(cost.law.step_s(10, 1e8), truth.step_s(10, 1e8), 1e-9);
}

TEST(StepCost, DoesWithoutLayersWhereTheyAreNotKnown) {
  const StepLaw flat{2e-4, 0, 1e-11};
  const auto cost = cost_of({step_of(flat, 0, 1e3), step_of(flat, 0, 1e8), step_of(flat, 0, 1e10)});
  EXPECT_NEAR(cost.law.step_s(0, 1e9), flat.step_s(0, 1e9), 1e-9);
}

TEST(StepCost, HasNoNegativePart) {
  // The middle network is slower than both its neighbours: no such law.
  const auto cost = cost_of({{2, 1e3, 1e-3}, {7, 1e7, 5e-3}, {13, 1e10, 2e-3}});
  EXPECT_GE(cost.law.fixed_s, 0);
  EXPECT_GE(cost.law.layer_s, 0);
  EXPECT_GE(cost.law.flop_s, 0);
  EXPECT_GT(cost.law.step_s(10, 1e9), 0);
}

TEST(StepCost, IsLessCertainWhereLawsDisagree) {
  const auto cost =
      cost_of({step_of(truth, 2, 1e3), step_of(truth, 7, 1e7), step_of(truth, 13, 1e10)});
  EXPECT_GT(cost.deviation(10, 1e7), cost.deviation(13, 1e10));  // there only the rate counts
  EXPECT_GE(cost.deviation(13, 1e10), std::sqrt(cost.variance));
}

TEST(StepCost, IsRefusedForLessThanThreeNetworks) {
  EXPECT_TRUE(std::holds_alternative<Refusal>(step_cost({})));
  EXPECT_TRUE(std::holds_alternative<Refusal>(step_cost({{2, 1, 1}, {3, 2, 1}, {4, 2, 1}})));
  EXPECT_TRUE(std::holds_alternative<Refusal>(step_cost({{2, 1, 1}, {3, 2, 0}, {4, 3, 1}})));
  EXPECT_TRUE(std::holds_alternative<Refusal>(step_cost({{2, 1, 1}, {3, 2, NAN}, {4, 3, 1}})));
}

}  // namespace
}  // namespace epochcast::forecast
