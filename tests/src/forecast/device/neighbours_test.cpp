// Forecasts by the nearest known cases.
#include "src/forecast/device/neighbours.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace epochcast::device {
namespace {

const NearestForecast fallback{.width_80 = 0.3, .width_95 = 0.5};

/// value = f(place) + noise, a group for each case.
std::vector<KnownCase> made_cases(std::size_t n, double noise, double (*f)(double), unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> place(0, 10);
  std::normal_distribution<double> error(0, noise > 0 ? noise : 1);
  std::vector<KnownCase> cases;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = place(random);
    cases.push_back({{x}, "g" + std::to_string(i), "", f(x) + (noise > 0 ? error(random) : 0)});
  }
  return cases;
}

TEST(Nearest, UsesFewNeighborsWhereTheValueGoesWithThePlace) {
  const auto known = made_cases(
      100, 0, [](double x) { return x; }, 1);
  const auto forecast = nearest_forecast(known, {.place = {5}, .group = "asked"}, fallback);
  EXPECT_LE(forecast.neighbours, 4u);
  EXPECT_NEAR(forecast.value, 5, 0.3);
}

TEST(Nearest, UsesManyWhereItDoesNot) {
  const auto known = made_cases(
      100, 0.2, [](double) { return 1.0; }, 2);
  const auto forecast = nearest_forecast(known, {.place = {5}, .group = "asked"}, fallback);
  EXPECT_GE(forecast.neighbours, 8u);
  EXPECT_NEAR(forecast.value, 1, 0.15);
}

TEST(Nearest, IsRightAsOftenAsItsIntervalsState) {
  int inside_80 = 0;
  int inside_95 = 0;
  constexpr int rounds = 300;
  for (unsigned round = 0; round < rounds; ++round) {
    auto known = made_cases(
        60, 0.2, [](double x) { return 0.1 * x; }, round);
    const auto asked = known.back();
    known.pop_back();
    const auto forecast = nearest_forecast(known, asked, fallback);
    const double error = std::abs(forecast.value - asked.value);
    inside_80 += error <= forecast.width_80 ? 1 : 0;
    inside_95 += error <= forecast.width_95 ? 1 : 0;
  }
  // 300 draws of a share of 0.80: a standard error of 2.3 %; of 0.95: 1.3 %. Three of them, and
  // what choosing k costs.
  EXPECT_NEAR(inside_80, 0.80 * rounds, 0.10 * rounds);
  EXPECT_NEAR(inside_95, 0.95 * rounds, 0.05 * rounds);
}

TEST(Nearest, StartsFromTheFallbackAndLearnsFromItsErrors) {
  const auto exact = [](int n) {  // errors of 0.1 or less
    std::vector<KnownCase> known;
    for (int i = 0; i < n; ++i) {
      known.push_back({{1.0 + i}, "g" + std::to_string(i), "", 1.0 + 0.1 * (i % 2)});
    }
    return nearest_forecast(known, {.place = {2}, .group = "asked"}, fallback);
  };
  EXPECT_GT(exact(3).width_95, 0.4) << "three errors say little";
  EXPECT_LT(exact(15).width_95, 0.4);
  EXPECT_LE(exact(30).width_95, 0.1 + 1e-9) << "by its own errors only";
  EXPECT_GE(exact(3).width_95, exact(3).width_80);
}

TEST(Nearest, IsAtLeastAsWideAsTheLargestOfFewErrors) {
  const std::vector<KnownCase> known{{{1}, "a", "", 1}, {{2}, "b", "", 3}, {{3}, "c", "", 5}};
  EXPECT_GE(nearest_forecast(known, {.place = {2}, .group = "asked"}, fallback).width_80, 2);
}

TEST(Nearest, DoesNotDependOnTheOrderOfTheCases) {
  auto known = made_cases(
      50, 0.2, [](double x) { return x; }, 3);
  const auto forward = nearest_forecast(known, {.place = {4}, .group = "asked"}, fallback);
  std::reverse(known.begin(), known.end());
  const auto backward = nearest_forecast(known, {.place = {4}, .group = "asked"}, fallback);
  EXPECT_DOUBLE_EQ(forward.value, backward.value);
  EXPECT_DOUBLE_EQ(forward.width_80, backward.width_80);
}

TEST(Nearest, PrefersCasesOfItsOwnGroup) {
  std::vector<KnownCase> known;
  for (int i = 0; i < 8; ++i) {
    known.push_back({{0}, "mine", "", 1.0});
    known.push_back({{0}, "other", "", 3.0});
  }
  EXPECT_DOUBLE_EQ(nearest_forecast(known, {.place = {0}, .group = "mine"}, fallback).value, 1.0);
  EXPECT_DOUBLE_EQ(nearest_forecast(known, {.place = {0}, .group = "other"}, fallback).value, 3.0);
}

}  // namespace
}  // namespace epochcast::device
