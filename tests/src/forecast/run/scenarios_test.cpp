#include "src/forecast/run/scenarios.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace epochcast::forecast {
namespace {

/// The way of one other rate, of 100 units of work; a rate of 1 is usual.
Component scenario_of(const RateHypothesis& other) {
  return rest_scenarios(100, 10, {.rate = 1, .alternatives = {other}}).back();
}

TEST(Scenarios, ALineToTheEndAddsHalfOfItsChange) {
  const auto scenario = scenario_of({.rate = 1, .rate_change = 0.01, .probability = 0.1});
  EXPECT_NEAR(scenario.center, 100 + 0.01 * 100 * 100 / 2, 1e-9);
  EXPECT_NEAR(scenario.weight, 0.1, 1e-12);
}

TEST(Scenarios, ALineCountsFromWhereItsLevelIs) {
  const auto scenario =
      scenario_of({.rate = 1, .rate_change = 0.01, .since = 5, .probability = 0.1});
  EXPECT_NEAR(scenario.center, 100 + 100 * 0.01 * (5 + 50), 1e-9);
}

// Simulated: a line that stops at a random time, averaged over the rest.
TEST(Scenarios, ALineThatStopsAddsAThirdOfItsChange) {
  double sum = 0;
  double squares = 0;
  constexpr int times = 1000;
  for (int i = 0; i < times; ++i) {
    const double part = (i + 0.5) / times;
    const double added = 100 * (part - part * part / 2);  // of a change of 1 over the whole rest
    sum += added;
    squares += added * added;
  }
  const double mean = sum / times;
  const auto scenario =
      scenario_of({.rate = 1, .rate_change = 0.01, .change_stops = true, .probability = 1});
  EXPECT_NEAR(scenario.center, 100 + mean, 0.01);
  EXPECT_NEAR(scenario.above, std::sqrt(squares / times - mean * mean), 0.1);
}

TEST(Scenarios, AFallingRateStaysAboveZero) {
  const auto scenario = scenario_of({.rate = 1, .rate_change = -1, .probability = 0.1});
  EXPECT_GT(scenario.center, 0);
  EXPECT_LT(scenario.center, 5);
}

TEST(Scenarios, TheErrorOfASlopeGrowsWithTheSquareOfTheRest) {
  const RateHypothesis line{.rate = 1, .change_deviation = 0.01, .probability = 0.1};
  EXPECT_NEAR(scenario_of(line).above, 0.01 * 100 * 100 / 2, 0.1);
}

TEST(Scenarios, AWalkIsOffByAThirdOfItsVariance) {
  for (const double reversion : {0.0, 1e-6, 2e-5}) {
    const auto scenario =
        scenario_of({.rate = 1, .diffusion = 0.01, .reversion = reversion, .probability = 0.1});
    EXPECT_NEAR(scenario.above, 0.01 * std::sqrt(100 / 3.0) * 100, 0.1) << reversion;
  }
}

// Simulated: 100 steps after an error of 0.2, each error 0.9 times the one before.
TEST(Scenarios, ErrorsThatLastReturnToTheirLevel) {
  constexpr double share = 0.9;
  constexpr int runs = 20000;
  std::mt19937 random(11);
  std::normal_distribution<double> change(0, 0.01);
  double sum = 0;
  double squares = 0;
  for (int run = 0; run < runs; ++run) {
    double error = 0.2;
    double total = 0;
    for (int step = 0; step < 100; ++step) {
      error = share * error + change(random);
      total += 1 + error;
    }
    sum += total;
    squares += total * total;
  }
  const double mean = sum / runs;
  const double reversion = -std::log(share);
  const auto scenario = scenario_of({.rate = 1,
                                     .diffusion = 0.01 / (1 - share) * reversion,
                                     .reversion = reversion,
                                     .initial_error = 0.2 * share / (1 - share) * reversion,
                                     .probability = 0.1});
  EXPECT_NEAR(scenario.center, mean, 0.02);
  EXPECT_NEAR(scenario.above, std::sqrt(squares / runs - mean * mean), 0.05);
}

TEST(Scenarios, AnErrorOfTheLevelCountsOnlyAsFarAsErrorsReturnToIt) {
  RateHypothesis level{.rate = 1, .deviation = 0.1, .reversion = 1, .probability = 0.1};
  EXPECT_NEAR(scenario_of(level).above, 0.1 * 99, 0.1);
  level.reversion = 1e-6;
  EXPECT_LT(scenario_of(level).above, 0.2);
}

TEST(Scenarios, TheSteadyRateKeepsAQuarter) {
  const auto scenarios = rest_scenarios(
      100, 10,
      {.rate = 1,
       .alternatives = {{.rate = 2, .probability = 0.8}, {.rate = 3, .probability = 0.8}}});
  double alternatives = 0;
  double all = 0;
  for (const auto& scenario : scenarios) {
    all += scenario.weight;
    alternatives += scenario.center > 150 ? scenario.weight : 0;
  }
  EXPECT_NEAR(all, 1, 1e-9);
  EXPECT_NEAR(alternatives, 0.75, 1e-9);
}

double quantile_with_stalls(double epochs_seen, double epochs_left, double probability) {
  return quantile_of(with_unseen_stalls({{.center = epochs_left, .below = 1e-6, .above = 1e-6}}, 1,
                                        epochs_seen, epochs_left),
                     probability);
}

TEST(Scenarios, UnseenStallsRaiseTheUpperEndAlone) {
  EXPECT_NEAR(quantile_with_stalls(12, 30, 0.025), 30, 1e-4);
  EXPECT_NEAR(quantile_with_stalls(12, 30, 0.5), 30, 1e-4);
  EXPECT_GT(quantile_with_stalls(12, 30, 0.975), 30.03);
}

TEST(Scenarios, UnseenStallsAreTheRarerTheLongerNoneWasSeen) {
  EXPECT_GT(quantile_with_stalls(12, 30, 0.975), quantile_with_stalls(200, 30, 0.975));
  EXPECT_GT(quantile_with_stalls(12, 60, 0.975) - 60, quantile_with_stalls(12, 20, 0.975) - 20);
}

}  // namespace
}  // namespace epochcast::forecast
