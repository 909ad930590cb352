#include <gtest/gtest.h>

#include <cmath>

#include "src/forecast/scaling/step_cost.hpp"

namespace epochcast::forecast {
namespace {

const FittedStepLaw made_law{network_terms(), {1e-4, 2e-5, 1e-11}};
constexpr double made_wakes_s = 1e-5;

StepSetting made_network(double layers, double flops) {
  return {.flops = flops, .layers = layers};
}

double made_more_s(double layers, double flops, double speed_up, bool wakes_always) {
  const double saved_s = 1e-11 * flops * (1 - 1 / speed_up) - made_wakes_s * layers;
  return made_law.step_s(made_network(layers, flops)) -
         (wakes_always ? saved_s : std::max(0.0, saved_s));
}

ThreadedCost made_cost(double wakes_s, bool wakes_always) {
  std::vector<SettingTime> fewer;
  std::vector<ThreadedStep> steps;
  for (const auto& [layers, flops] : {std::pair{2.0, 1e4}, {7.0, 1e7}, {11.0, 1e9}}) {
    fewer.push_back({made_network(layers, flops), made_law.step_s(made_network(layers, flops))});
    steps.push_back({fewer.back(), made_more_s(layers, flops, 1.8, wakes_always)});
  }
  return threaded_cost(std::get<StepCost>(step_cost(fewer)), steps, 2, wakes_s);
}

TEST(ThreadedCost, FindsTheSpeedUpAndWhetherSmallOperatorsWakeThreads) {
  for (const bool always : {true, false}) {
    const auto cost = made_cost(made_wakes_s, always);
    EXPECT_NEAR(cost.law.speed_up, 1.8, 0.01);
    EXPECT_EQ(cost.law.wakes_always, always);
    EXPECT_NE(cost.other.wakes_always, always);
    for (const double flops : {1e4, 1e8}) {
      EXPECT_NEAR(
          cost.log_ratio(made_network(9, flops)),
          std::log(made_law.step_s(made_network(9, flops)) / made_more_s(9, flops, 1.8, always)),
          0.01);
    }
  }
}

TEST(ThreadedCost, CrossesWhereTheArithmeticSavesWhatWakingCosts) {
  // Waking costs 5 * 1e-5 s, and 4 / 9 of the arithmetic are saved: they are equal at 1.125e7
  // FLOPs.
  const auto pays = made_cost(made_wakes_s, true);
  EXPECT_LT(pays.log_ratio(made_network(5, 1.0e7)), 0);
  EXPECT_GT(pays.log_ratio(made_network(5, 1.3e7)), 0);
  const auto spares = made_cost(made_wakes_s, false);
  EXPECT_EQ(spares.log_ratio(made_network(5, 1.0e7)), 0);
  EXPECT_GT(spares.log_ratio(made_network(5, 1.3e7)), 0);
}

TEST(ThreadedCost, LongerWakesMoveTheCrossing) {
  EXPECT_GT(made_cost(1e-6, true).log_ratio(made_network(5, 2e7)),
            made_cost(1e-5, true).log_ratio(made_network(5, 2e7)));
  EXPECT_LE(made_cost(1e-3, true).log_ratio(made_network(5, 2e7)), 0);
}

TEST(ThreadedCost, IsLessCertainWhereBothLawsDisagree) {
  const auto cost = made_cost(made_wakes_s, true);
  EXPECT_GE(cost.deviation(made_network(9, 1e8)), std::sqrt(cost.law.variance));
  EXPECT_GT(cost.deviation(made_network(5, 1e4)), cost.deviation(made_network(5, 1e10)));
}

TEST(ThreadedCost, NeverSpeedsUpByMoreThanTheThreads) {
  const std::vector<ThreadedStep> steps{{{made_network(2, 1e4), 1e-4}, 1e-4},
                                        {{made_network(7, 1e9), 1e-2}, 1e-3}};
  const StepCost fewer{.law = made_law};
  EXPECT_NEAR(threaded_cost(fewer, steps, 2, 0).law.speed_up, 2, 1e-9);
}

}  // namespace
}  // namespace epochcast::forecast
