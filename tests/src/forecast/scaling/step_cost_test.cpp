#include "src/forecast/scaling/step_cost.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace epochcast::forecast {
namespace {

const FittedStepLaw truth{network_terms(), {2e-4, 3e-5, 1e-11}};

StepSetting network(double layers, double flops) {
  return {.flops = flops, .layers = layers};
}

SettingTime step_of(const FittedStepLaw& law, double layers, double flops) {
  return {network(layers, flops), law.step_s(network(layers, flops))};
}

StepCost cost_of(const std::vector<SettingTime>& steps) {
  return std::get<StepCost>(step_cost(steps));
}

TEST(StepCost, ThreeStepsGiveLaunchingLayersAndRate) {
  const auto cost =
      cost_of({step_of(truth, 2, 1e3), step_of(truth, 7, 1e7), step_of(truth, 13, 1e10)});
  EXPECT_NEAR(cost.law.coefficients[0], truth.coefficients[0], 1e-9);
  EXPECT_NEAR(cost.law.coefficients[1], truth.coefficients[1], 1e-9);
  EXPECT_NEAR(cost.law.coefficients[2], truth.coefficients[2], 1e-16);
  EXPECT_NEAR(cost.law.step_s(network(10, 1e8)), truth.step_s(network(10, 1e8)), 1e-9);
}

TEST(StepCost, DoesWithoutLayersWhereTheyAreNotKnown) {
  const FittedStepLaw flat{network_terms(), {2e-4, 0, 1e-11}};
  const auto cost = cost_of({step_of(flat, 0, 1e3), step_of(flat, 0, 1e8), step_of(flat, 0, 1e10)});
  EXPECT_NEAR(cost.law.step_s(network(0, 1e9)), flat.step_s(network(0, 1e9)), 1e-9);
}

TEST(StepCost, HasNoNegativePart) {
  // The middle network is slower than both its neighbours: no such law.
  const auto cost =
      cost_of({{network(2, 1e3), 1e-3}, {network(7, 1e7), 5e-3}, {network(13, 1e10), 2e-3}});
  EXPECT_GE(cost.law.coefficients[0], 0);
  EXPECT_GE(cost.law.coefficients[1], 0);
  EXPECT_GE(cost.law.coefficients[2], 0);
  EXPECT_GT(cost.law.step_s(network(10, 1e9)), 0);
}

TEST(StepCost, IsLessCertainWhereLawsDisagree) {
  const auto cost =
      cost_of({step_of(truth, 2, 1e3), step_of(truth, 7, 1e7), step_of(truth, 13, 1e10)});
  EXPECT_GT(cost.deviation(network(10, 1e7)),
            cost.deviation(network(13, 1e10)));  // there only the rate counts
  EXPECT_GE(cost.deviation(network(13, 1e10)), std::sqrt(cost.variance));
}

TEST(StepCost, IsRefusedForLessThanThreeNetworks) {
  EXPECT_TRUE(std::holds_alternative<Refusal>(step_cost({})));
  EXPECT_TRUE(std::holds_alternative<Refusal>(
      step_cost({{network(2, 1), 1}, {network(3, 2), 1}, {network(4, 2), 1}})));
  EXPECT_TRUE(std::holds_alternative<Refusal>(
      step_cost({{network(2, 1), 1}, {network(3, 2), 0}, {network(4, 3), 1}})));
  EXPECT_TRUE(std::holds_alternative<Refusal>(
      step_cost({{network(2, 1), 1}, {network(3, 2), NAN}, {network(4, 3), 1}})));
}

}  // namespace
}  // namespace epochcast::forecast
