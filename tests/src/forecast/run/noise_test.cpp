#include "src/forecast/run/noise.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace epochcast::forecast {
namespace {

/// The mean of the logarithms, as a deviation.
double typical(const std::vector<Deviation>& deviations) {
  double sum = 0;
  for (const auto& one : deviations) {
    sum += one.probability * std::log(one.value);
  }
  return std::exp(sum);
}

double share_above(const std::vector<Deviation>& deviations, double value) {
  double share = 0;
  for (const auto& one : deviations) {
    share += one.value > value ? one.probability : 0;
  }
  return share;
}

TEST(Noise, ProbabilitiesAddUpToOne) {
  for (const double freedom : {0.0, 1.0, 5.0, 29.0, 30.0, 1000.0}) {
    double sum = 0;
    for (const auto& one : deviations_from(freedom * 4, freedom, 1)) {
      EXPECT_GT(one.value, 0);
      sum += one.probability;
    }
    EXPECT_NEAR(sum, 1, 1e-9) << freedom;
  }
}

TEST(Noise, IsTheUsualOneUntilSomeIsMeasured) {
  const auto before = deviations_from(0, 0, 0.7);
  EXPECT_NEAR(typical(before), 0.7, 0.1);
  EXPECT_GT(share_above(before, 5 * 0.7), 0.02) << "some runs are far noisier";
}

TEST(Noise, ComesToWhatWasMeasured) {
  EXPECT_NEAR(typical(deviations_from(20 * 9, 20, 0.7)), 3, 0.4);
  EXPECT_NEAR(typical(deviations_from(400 * 9, 400, 0.7)), 3, 0.1);
}

// A prior that pulls ten times the usual scatter halfway back promises too much.
TEST(Noise, OneLargeDifferenceIsTaken) {
  const auto noisy = deviations_from(7 * 7, 1, 0.7);
  EXPECT_GT(share_above(noisy, 2), 0.8);
}

TEST(Noise, BeforeAnythingIsSeenIsTheSameOnAnyGrid) {
  for (const int points : {12, 48, 200}) {
    const auto prior = prior_deviations(0.7, points);
    EXPECT_NEAR(typical(prior), 0.7, 0.1) << points;
    EXPECT_NEAR(share_above(prior, 5 * 0.7), share_above(deviations_from(0, 0, 0.7), 5 * 0.7), 0.02)
        << points;
  }
}

TEST(Noise, GroupsKeepTheMeanSquare) {
  const auto mean_square = [](const std::vector<Deviation>& deviations) {
    double sum = 0;
    for (const auto& one : deviations) {
      sum += one.probability * one.value * one.value;
    }
    return sum;
  };
  const auto all = deviations_from(20, 4, 0.7);
  for (const std::size_t groups : {1u, 5u, 12u, 1000u}) {
    const auto some = in_groups(all, groups);
    EXPECT_LE(some.size(), groups);
    EXPECT_NEAR(mean_square(some), mean_square(all), 1e-9);
  }
  EXPECT_EQ(in_groups(all, 1000).size(), all.size());
}

// A second step that is far from the first may be due to scatter, or to the first alone.
TEST(Noise, OfTwoStepsTakesADifferenceForScatterInPart) {
  constexpr double excess = 0.05;
  const auto deviation = [&](double difference) {
    return share_above(deviations_of_two(difference, 0.007, excess), 0.03);
  };
  EXPECT_LT(deviation(0), deviation(0.1));
  EXPECT_LT(deviation(0.1), deviation(0.3));
  EXPECT_GT(deviation(0.3), 0.1);
  EXPECT_LT(deviation(0.3), 0.5) << "first steps often differ as much";
  EXPECT_GT(share_above(deviations_of_two(0.3, 0.007, 1e-4), 0.03), 0.9) << "here they do not";
  EXPECT_NEAR(deviation(0.1), deviation(-0.1), 1e-12);
}

TEST(Noise, ScalesWithTheUnit) {
  const auto once = deviations_from(9, 3, 0.7);
  const auto tenfold = deviations_from(900, 3, 7);
  ASSERT_EQ(once.size(), tenfold.size());
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_NEAR(tenfold[i].value, 10 * once[i].value, 1e-9);
    EXPECT_NEAR(tenfold[i].probability, once[i].probability, 1e-9);
  }
}

}  // namespace
}  // namespace epochcast::forecast
