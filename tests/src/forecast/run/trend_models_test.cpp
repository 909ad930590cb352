#include "src/forecast/run/trend_models.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

namespace epochcast::forecast {
namespace {

constexpr double usual = 0.007;

enum class Kind { constant, ar1, walk, line };

/// Values with errors or changes of 2 %; a line rises by 3 % a step, and of errors that last 0.8
/// are left after a step.
std::vector<double> values_of(Kind kind, std::size_t count, std::mt19937& random) {
  std::normal_distribution<double> error(0, 0.02);
  const double share = kind == Kind::ar1 ? 0.8 : kind == Kind::walk ? 1 : 0;
  std::vector<double> values;
  double level = 1;
  double last = 0;
  while (values.size() < count) {
    last = share * last + error(random);
    values.push_back(level + last);
    level += kind == Kind::line ? 0.03 : 0;
  }
  return values;
}

/// The mean over 200 series of a kind.
double mean_of(Kind kind, std::size_t count, double TrendModels::*probability) {
  constexpr int runs = 200;
  std::mt19937 random(7);
  double sum = 0;
  for (int run = 0; run < runs; ++run) {
    sum += fit_trend_models(values_of(kind, count, random), usual).*probability;
  }
  return sum / runs;
}

TEST(TrendModels, AreToldApartTheBetterTheMoreIsSeen) {
  EXPECT_LT(mean_of(Kind::constant, 10, &TrendModels::ar1), 0.2);
  EXPECT_LT(mean_of(Kind::constant, 10, &TrendModels::linear), 0.1);
  EXPECT_GT(mean_of(Kind::walk, 10, &TrendModels::ar1), 0.4);
  EXPECT_GT(mean_of(Kind::walk, 40, &TrendModels::ar1), 0.85);
  EXPECT_GT(mean_of(Kind::ar1, 40, &TrendModels::ar1), 0.85);
  EXPECT_GT(mean_of(Kind::line, 10, &TrendModels::linear), 0.7);
  EXPECT_GT(mean_of(Kind::line, 40, &TrendModels::linear), 0.99);
  EXPECT_GT(mean_of(Kind::walk, 10, &TrendModels::ar1), mean_of(Kind::walk, 4, &TrendModels::ar1));
  EXPECT_GT(mean_of(Kind::line, 6, &TrendModels::linear),
            mean_of(Kind::line, 4, &TrendModels::linear));
}

/// The mean of the shares that errors may have, by their probabilities, over 50 series.
double mean_share(Kind kind, std::size_t count) {
  constexpr int runs = 50;
  std::mt19937 random(5);
  double sum = 0;
  for (int run = 0; run < runs; ++run) {
    for (const auto& error : fit_trend_models(values_of(kind, count, random), usual).ar1_fits) {
      sum += error.probability * error.share;
    }
  }
  return sum / runs;
}

TEST(TrendModels, HowLongErrorsLastIsSeen) {
  EXPECT_NEAR(mean_share(Kind::ar1, 90), 0.8, 0.05);
  EXPECT_GT(mean_share(Kind::walk, 90), 0.95);
  EXPECT_LT(mean_share(Kind::constant, 90), 0.3);
}

TEST(TrendModels, TwoEqualDifferencesAreALine) {
  const auto rise = fit_trend_models({1, 1.01, 1.02}, usual);
  const auto deviation = fit_trend_models({1, 1.01, 1}, usual);
  EXPECT_GT(rise.linear, 3 * deviation.linear);
  EXPECT_GT(fit_trend_models({1, 1.01, 1.02, 1.03}, usual).linear, 0.5);
}

TEST(TrendModels, AddUpToOne) {
  std::mt19937 random(3);
  for (const std::size_t count : {2u, 3u, 5u, 14u, 15u, 48u}) {
    const auto models = fit_trend_models(values_of(Kind::walk, count, random), usual);
    EXPECT_NEAR(models.constant + models.ar1 + models.linear, 1, 1e-9);
    double ar1_fits = 0;
    for (const auto& error : models.ar1_fits) {
      ar1_fits += error.probability;
      EXPECT_GT(error.level_deviation, 0);
    }
    double linear_fits = 0;
    for (const auto& line : models.linear_fits) {
      linear_fits += line.probability;
      EXPECT_GT(line.slope_deviation, 0);
    }
    EXPECT_NEAR(ar1_fits, 1, 0.02);  // those of next to no probability are left out
    EXPECT_NEAR(linear_fits, 1, 0.02);
    EXPECT_LE(models.ar1_fits.size() + models.linear_fits.size(), 48u);
  }
}

TEST(TrendModels, OfTwoValuesAreNotToldApart) {
  for (const double second : {1.0, 1.001, 1.05, 2.0}) {
    const auto models = fit_trend_models({1, second}, usual);
    EXPECT_NEAR(models.constant, 0.75, 0.05) << second;
    EXPECT_NEAR(models.linear, 0.25 / 3, 0.07) << second;
  }
}

TEST(TrendModels, AreTheSameInEitherDirectionAndAtAnyLevel) {
  const auto forward = fit_trend_models({1.00, 1.01, 1.03, 1.02}, usual);
  const auto backward = fit_trend_models({1.02, 1.03, 1.01, 1.00}, usual);
  const auto higher = fit_trend_models({100, 101, 103, 102}, 100 * usual);
  for (const auto probability : {&TrendModels::constant, &TrendModels::ar1, &TrendModels::linear}) {
    EXPECT_NEAR(forward.*probability, backward.*probability, 1e-9);
    EXPECT_NEAR(forward.*probability, higher.*probability, 1e-9);
  }
  ASSERT_EQ(forward.linear_fits.size(), backward.linear_fits.size());
  EXPECT_NEAR(forward.linear_fits.back().slope, -backward.linear_fits.back().slope, 1e-12);
}

TEST(TrendModels, ChangesOfALongMemoryAreAboutTheDifferencesSeen) {
  std::vector<double> values{1};
  for (int i = 0; i < 30; ++i) {
    values.push_back(values.back() + (i % 3 == 0 ? -0.02 : 0.02));
  }
  for (const auto& error : fit_trend_models(values, usual).ar1_fits) {
    if (error.share > 0.99) {
      EXPECT_NEAR(error.change, 0.02, 0.01);
    }
  }
}

TEST(TrendModels, TheLikeliestLineIsThatOfTheValues) {
  const auto models = fit_trend_models({1, 1.0301, 1.0599, 1.0901, 1.12}, usual);
  const auto line =
      *std::max_element(models.linear_fits.begin(), models.linear_fits.end(),
                        [](const auto& a, const auto& b) { return a.probability < b.probability; });
  EXPECT_NEAR(line.slope, 0.03, 0.001);
  EXPECT_NEAR(line.level, 1.06, 0.0001);
  EXPECT_LT(line.slope_deviation, 0.003);
}

TEST(TrendModels, OfOneValueAreConstant) {
  EXPECT_EQ(fit_trend_models({}, usual).constant, 1);
  EXPECT_EQ(fit_trend_models({1}, usual).constant, 1);
}

}  // namespace
}  // namespace epochcast::forecast
