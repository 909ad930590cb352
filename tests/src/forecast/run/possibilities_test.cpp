#include "src/forecast/run/possibilities.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "src/forecast/run/courses.hpp"
#include "src/forecast/run/prior_constants.hpp"

namespace epochcast::forecast {
namespace {

std::vector<Step> steps_of(const std::vector<double>& seconds, double work = 1) {
  std::vector<Step> steps;
  for (const double one : seconds) {
    steps.push_back({.seconds = one * work, .work = work});
  }
  return steps;
}

Steady with_courses(const std::vector<double>& seconds, double work = 1) {
  Steady steady{.rate = seconds.back()};
  consider_courses(steps_of(seconds, work), steady);
  return steady;
}

double sum_of_probabilities(const Steady& steady) {
  double sum = 0;
  for (const auto& other : steady.others) {
    sum += other.probability;
  }
  return sum;
}

bool has_lines(const Steady& steady) {
  return std::any_of(steady.others.begin(), steady.others.end(),
                     [](const auto& other) { return other.rate_change != 0; });
}

TEST(Possibilities, CoursesTakeWhatAConstantRateLeaves) {
  for (const auto& seconds : std::vector<std::vector<double>>{
           {1, 1.01, 1.02}, {1, 1.01, 1.02, 1.03}, {1, 1.02, 0.99, 1, 1.01}}) {
    const auto steady = with_courses(seconds);
    EXPECT_NEAR(sum_of_probabilities(steady), 1 - steady.constant, 0.01);
    EXPECT_LT(steady.constant, 1);
  }
  EXPECT_LT(with_courses({1, 1.01, 1.02, 1.03}).constant,
            with_courses({1, 1.01, 1, 1.01}).constant);
}

TEST(Possibilities, ErrorsOfTwoStepsMayLastButTheyShowNoLine) {
  const auto two = with_courses({1, 1.01});
  EXPECT_FALSE(has_lines(two));
  EXPECT_NEAR(sum_of_probabilities(two), lasts, 0.05);
  EXPECT_TRUE(has_lines(with_courses({1, 1.01, 1.02})));
}

TEST(Possibilities, ErrorsThatLastStartFromTheLastStep) {
  const auto steady = with_courses({1, 1.03, 1.01, 1.04, 1.06, 1.03});
  double lasting = 0;
  for (const auto& other : steady.others) {
    if (other.wander > 0) {
      lasting += other.probability;
      EXPECT_GT(other.returns, 0);
      if (other.returns < 0.01) {  // a walk, for as long as runs are
        EXPECT_NEAR(other.rate + other.excess, 1.03, 0.001);
      }
    }
  }
  EXPECT_GT(lasting, 0.1);
}

TEST(Possibilities, ALineGoesOnOrStopsOrHasEndedOrGrowsOnceMore) {
  const auto steady = with_courses({1, 1.01, 1.02, 1.03, 1.04});
  double to_the_end = 0;
  double stops = 0;
  double ended = 0;
  double once_more = 0;
  for (const auto& other : steady.others) {
    if (other.rate_change > 0.009) {
      (other.change_stops ? stops : to_the_end) += other.probability;
      EXPECT_NEAR(other.rate + other.rate_change * other.since, 1.045, 0.002);
    } else if (other.rate_change == 0 && other.wander == 0) {
      ended += std::abs(other.rate - 1.04) < 0.001 ? other.probability : 0;
      once_more += std::abs(other.rate - 1.09) < 0.001 ? other.probability : 0;
    }
  }
  EXPECT_GT(to_the_end, 0.2);
  EXPECT_NEAR(stops, to_the_end / 3, 0.01);
  EXPECT_NEAR(ended, to_the_end / 3, 0.05);
  EXPECT_NEAR(once_more, to_the_end / 3, 0.05);
}

TEST(Possibilities, ChangesArePerUnitOfWork) {
  const auto once = with_courses({1, 1.01, 1.02, 1.03});
  const auto large = with_courses({1, 1.01, 1.02, 1.03}, 4);
  ASSERT_EQ(once.others.size(), large.others.size());
  EXPECT_NEAR(large.others.back().rate, once.others.back().rate, 1e-9);
  for (std::size_t i = 0; i < once.others.size(); ++i) {
    EXPECT_NEAR(large.others[i].rate_change, once.others[i].rate_change / 4, 1e-9);
    EXPECT_NEAR(large.others[i].since, 4 * once.others[i].since, 1e-9);
    EXPECT_NEAR(large.others[i].wander, once.others[i].wander / 2, 1e-9);
    EXPECT_NEAR(large.others[i].returns, once.others[i].returns / 4, 1e-9);
    EXPECT_NEAR(large.others[i].excess, once.others[i].excess, 1e-9);
  }
}

TEST(Possibilities, NothingIsKnownOfStepsWithoutTime) {
  Steady steady;
  consider_courses(steps_of({0, 0, 0}), steady);
  EXPECT_TRUE(steady.others.empty());
  EXPECT_EQ(steady.constant, 1);
}

TEST(Possibilities, AnyLevelMayBeThatOfTheRestUntilThreeAgree) {
  Steady steady{.rate = 1.2};
  consider_levels(steps_of({1, 1.1, 1.2}), steady);
  ASSERT_EQ(steady.others.size(), 2u);
  EXPECT_EQ(steady.others[0].rate, 1);
  EXPECT_EQ(steady.others[1].rate, 1.1);
  EXPECT_NEAR(sum_of_probabilities(steady), 1.0 / 3, 1e-9);
  Steady agreed{.rate = 1};
  consider_levels(steps_of({1.2, 1, 1, 1}), agreed);
  EXPECT_TRUE(agreed.others.empty());
}

TEST(Possibilities, AStallRecursAsOftenAsNot) {
  Steady steady{.rate = 1};
  consider_stall({.seconds = 3, .work = 1}, false, steps_of({1, 1, 1, 1}), steady);
  EXPECT_NEAR(sum_of_probabilities(steady), 0.5, 1e-9);
  Steady last{.rate = 1};
  consider_stall({.seconds = 3, .work = 1}, true, steps_of({1, 1, 1, 1}), last);
  EXPECT_EQ(last.others.back().rate, 3) << "it may be a new level";
}

}  // namespace
}  // namespace epochcast::forecast
