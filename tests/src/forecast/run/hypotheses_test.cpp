#include "src/forecast/run/hypotheses.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "src/forecast/run/prior_constants.hpp"
#include "src/forecast/run/trend_models.hpp"

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
  consider_trends(steps_of(seconds, work), steady);
  return steady;
}

double sum_of_probabilities(const Steady& steady) {
  double sum = 0;
  for (const auto& other : steady.alternatives) {
    sum += other.probability;
  }
  return sum;
}

bool has_lines(const Steady& steady) {
  return std::any_of(steady.alternatives.begin(), steady.alternatives.end(),
                     [](const auto& other) { return other.rate_change != 0; });
}

TEST(Hypotheses, CoursesTakeWhatAConstantRateLeaves) {
  for (const auto& seconds : std::vector<std::vector<double>>{
           {1, 1.01, 1.02}, {1, 1.01, 1.02, 1.03}, {1, 1.02, 0.99, 1, 1.01}}) {
    const auto steady = with_courses(seconds);
    EXPECT_NEAR(sum_of_probabilities(steady), 1 - steady.constant, 0.01);
    EXPECT_LT(steady.constant, 1);
  }
  EXPECT_LT(with_courses({1, 1.01, 1.02, 1.03}).constant,
            with_courses({1, 1.01, 1, 1.01}).constant);
}

TEST(Hypotheses, ErrorsOfTwoStepsMayLastButTheyShowNoLine) {
  const auto two = with_courses({1, 1.01});
  EXPECT_FALSE(has_lines(two));
  EXPECT_NEAR(sum_of_probabilities(two), ar1_prior, 0.05);
  EXPECT_TRUE(has_lines(with_courses({1, 1.01, 1.02})));
}

TEST(Hypotheses, ErrorsThatLastStartFromTheLastStep) {
  const auto steady = with_courses({1, 1.03, 1.01, 1.04, 1.06, 1.03});
  double ar1 = 0;
  for (const auto& other : steady.alternatives) {
    if (other.diffusion > 0) {
      ar1 += other.probability;
      EXPECT_GT(other.reversion, 0);
      if (other.reversion < 0.01) {  // a walk, for as long as runs are
        EXPECT_NEAR(other.rate + other.initial_error, 1.03, 0.001);
      }
    }
  }
  EXPECT_GT(ar1, 0.1);
}

TEST(Hypotheses, ALineGoesOnOrStopsOrHasEndedOrGrowsOnceMore) {
  const auto steady = with_courses({1, 1.01, 1.02, 1.03, 1.04});
  double to_the_end = 0;
  double stops = 0;
  double ended = 0;
  double once_more = 0;
  for (const auto& other : steady.alternatives) {
    if (other.rate_change > 0.009) {
      (other.change_stops ? stops : to_the_end) += other.probability;
      EXPECT_NEAR(other.rate + other.rate_change * other.since, 1.045, 0.002);
    } else if (other.rate_change == 0 && other.diffusion == 0) {
      ended += std::abs(other.rate - 1.04) < 0.001 ? other.probability : 0;
      once_more += std::abs(other.rate - 1.09) < 0.001 ? other.probability : 0;
    }
  }
  EXPECT_GT(to_the_end, 0.2);
  EXPECT_NEAR(stops, to_the_end / 3, 0.01);
  EXPECT_NEAR(ended, to_the_end / 3, 0.05);
  EXPECT_NEAR(once_more, to_the_end / 3, 0.05);
}

TEST(Hypotheses, ChangesArePerUnitOfWork) {
  const auto once = with_courses({1, 1.01, 1.02, 1.03});
  const auto large = with_courses({1, 1.01, 1.02, 1.03}, 4);
  ASSERT_EQ(once.alternatives.size(), large.alternatives.size());
  EXPECT_NEAR(large.alternatives.back().rate, once.alternatives.back().rate, 1e-9);
  for (std::size_t i = 0; i < once.alternatives.size(); ++i) {
    EXPECT_NEAR(large.alternatives[i].rate_change, once.alternatives[i].rate_change / 4, 1e-9);
    EXPECT_NEAR(large.alternatives[i].since, 4 * once.alternatives[i].since, 1e-9);
    EXPECT_NEAR(large.alternatives[i].diffusion, once.alternatives[i].diffusion / 2, 1e-9);
    EXPECT_NEAR(large.alternatives[i].reversion, once.alternatives[i].reversion / 4, 1e-9);
    EXPECT_NEAR(large.alternatives[i].initial_error, once.alternatives[i].initial_error, 1e-9);
  }
}

TEST(Hypotheses, NothingIsKnownOfStepsWithoutTime) {
  Steady steady;
  consider_trends(steps_of({0, 0, 0}), steady);
  EXPECT_TRUE(steady.alternatives.empty());
  EXPECT_EQ(steady.constant, 1);
}

TEST(Hypotheses, AnyLevelMayBeThatOfTheRestUntilThreeAgree) {
  Steady steady{.rate = 1.2};
  consider_levels(steps_of({1, 1.1, 1.2}), steady);
  ASSERT_EQ(steady.alternatives.size(), 2u);
  EXPECT_EQ(steady.alternatives[0].rate, 1);
  EXPECT_EQ(steady.alternatives[1].rate, 1.1);
  EXPECT_NEAR(sum_of_probabilities(steady), 1.0 / 3, 1e-9);
  Steady agreed{.rate = 1};
  consider_levels(steps_of({1.2, 1, 1, 1}), agreed);
  EXPECT_TRUE(agreed.alternatives.empty());
}

TEST(Hypotheses, AStallRecursAsOftenAsNot) {
  Steady steady{.rate = 1};
  consider_stall({.seconds = 3, .work = 1}, false, steps_of({1, 1, 1, 1}), steady);
  EXPECT_NEAR(sum_of_probabilities(steady), 0.5, 1e-9);
  Steady last{.rate = 1};
  consider_stall({.seconds = 3, .work = 1}, true, steps_of({1, 1, 1, 1}), last);
  EXPECT_EQ(last.alternatives.back().rate, 3) << "it may be a new level";
}

}  // namespace
}  // namespace epochcast::forecast
