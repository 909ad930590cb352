#include "src/forecast/run/courses.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

namespace epochcast::forecast {
namespace {

constexpr double usual = 0.007;

enum class Kind { constant, lasting, walk, line };

/// Values with errors or changes of 2 %; a line rises by 3 % a step, and of errors that last 0.8
/// are left after a step.
std::vector<double> values_of(Kind kind, std::size_t count, std::mt19937& random) {
  std::normal_distribution<double> error(0, 0.02);
  const double share = kind == Kind::lasting ? 0.8 : kind == Kind::walk ? 1 : 0;
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
double mean_of(Kind kind, std::size_t count, double Courses::*probability) {
  constexpr int runs = 200;
  std::mt19937 random(7);
  double sum = 0;
  for (int run = 0; run < runs; ++run) {
    sum += courses_of(values_of(kind, count, random), usual).*probability;
  }
  return sum / runs;
}

TEST(Courses, AreToldApartTheBetterTheMoreIsSeen) {
  EXPECT_LT(mean_of(Kind::constant, 10, &Courses::lasting), 0.2);
  EXPECT_LT(mean_of(Kind::constant, 10, &Courses::trend), 0.1);
  EXPECT_GT(mean_of(Kind::walk, 10, &Courses::lasting), 0.4);
  EXPECT_GT(mean_of(Kind::walk, 40, &Courses::lasting), 0.85);
  EXPECT_GT(mean_of(Kind::lasting, 40, &Courses::lasting), 0.85);
  EXPECT_GT(mean_of(Kind::line, 10, &Courses::trend), 0.7);
  EXPECT_GT(mean_of(Kind::line, 40, &Courses::trend), 0.99);
  EXPECT_GT(mean_of(Kind::walk, 10, &Courses::lasting), mean_of(Kind::walk, 4, &Courses::lasting));
  EXPECT_GT(mean_of(Kind::line, 6, &Courses::trend), mean_of(Kind::line, 4, &Courses::trend));
}

/// The mean of the shares that errors may have, by their probabilities, over 50 series.
double mean_share(Kind kind, std::size_t count) {
  constexpr int runs = 50;
  std::mt19937 random(5);
  double sum = 0;
  for (int run = 0; run < runs; ++run) {
    for (const auto& error : courses_of(values_of(kind, count, random), usual).errors) {
      sum += error.probability * error.share;
    }
  }
  return sum / runs;
}

TEST(Courses, HowLongErrorsLastIsSeen) {
  EXPECT_NEAR(mean_share(Kind::lasting, 90), 0.8, 0.05);
  EXPECT_GT(mean_share(Kind::walk, 90), 0.95);
  EXPECT_LT(mean_share(Kind::constant, 90), 0.3);
}

TEST(Courses, TwoEqualDifferencesAreALine) {
  const auto rise = courses_of({1, 1.01, 1.02}, usual);
  const auto scatter = courses_of({1, 1.01, 1}, usual);
  EXPECT_GT(rise.trend, 3 * scatter.trend);
  EXPECT_GT(courses_of({1, 1.01, 1.02, 1.03}, usual).trend, 0.5);
}

TEST(Courses, AddUpToOne) {
  std::mt19937 random(3);
  for (const std::size_t count : {2u, 3u, 5u, 14u, 15u, 48u}) {
    const auto courses = courses_of(values_of(Kind::walk, count, random), usual);
    EXPECT_NEAR(courses.constant + courses.lasting + courses.trend, 1, 1e-9);
    double errors = 0;
    for (const auto& error : courses.errors) {
      errors += error.probability;
      EXPECT_GT(error.level_deviation, 0);
    }
    double lines = 0;
    for (const auto& line : courses.lines) {
      lines += line.probability;
      EXPECT_GT(line.slope_deviation, 0);
    }
    EXPECT_NEAR(errors, 1, 0.02);  // those of next to no probability are left out
    EXPECT_NEAR(lines, 1, 0.02);
    EXPECT_LE(courses.errors.size() + courses.lines.size(), 48u);
  }
}

TEST(Courses, OfTwoValuesAreNotToldApart) {
  for (const double second : {1.0, 1.001, 1.05, 2.0}) {
    const auto courses = courses_of({1, second}, usual);
    EXPECT_NEAR(courses.constant, 0.75, 0.05) << second;
    EXPECT_NEAR(courses.trend, 0.25 / 3, 0.07) << second;
  }
}

TEST(Courses, AreTheSameInEitherDirectionAndAtAnyLevel) {
  const auto forward = courses_of({1.00, 1.01, 1.03, 1.02}, usual);
  const auto backward = courses_of({1.02, 1.03, 1.01, 1.00}, usual);
  const auto higher = courses_of({100, 101, 103, 102}, 100 * usual);
  for (const auto probability : {&Courses::constant, &Courses::lasting, &Courses::trend}) {
    EXPECT_NEAR(forward.*probability, backward.*probability, 1e-9);
    EXPECT_NEAR(forward.*probability, higher.*probability, 1e-9);
  }
  ASSERT_EQ(forward.lines.size(), backward.lines.size());
  EXPECT_NEAR(forward.lines.back().slope, -backward.lines.back().slope, 1e-12);
}

TEST(Courses, ChangesOfALongMemoryAreAboutTheDifferencesSeen) {
  std::vector<double> values{1};
  for (int i = 0; i < 30; ++i) {
    values.push_back(values.back() + (i % 3 == 0 ? -0.02 : 0.02));
  }
  for (const auto& error : courses_of(values, usual).errors) {
    if (error.share > 0.99) {
      EXPECT_NEAR(error.change, 0.02, 0.01);
    }
  }
}

TEST(Courses, TheLikeliestLineIsThatOfTheValues) {
  const auto courses = courses_of({1, 1.0301, 1.0599, 1.0901, 1.12}, usual);
  const auto line =
      *std::max_element(courses.lines.begin(), courses.lines.end(),
                        [](const auto& a, const auto& b) { return a.probability < b.probability; });
  EXPECT_NEAR(line.slope, 0.03, 0.001);
  EXPECT_NEAR(line.level, 1.06, 0.0001);
  EXPECT_LT(line.slope_deviation, 0.003);
}

TEST(Courses, OfOneValueAreConstant) {
  EXPECT_EQ(courses_of({}, usual).constant, 1);
  EXPECT_EQ(courses_of({1}, usual).constant, 1);
}

}  // namespace
}  // namespace epochcast::forecast
