#include "src/forecast/run/gaps.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace epochcast::forecast {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;

record::Epoch epoch(std::int64_t number, double start_s, double wall_s, double evaluate_s = 0) {
  return {.epoch = number, .start_s = start_s, .wall_s = wall_s, .evaluate_s = evaluate_s};
}

std::vector<double> gaps_of(const std::vector<record::Epoch>& epochs) {
  Gaps gaps;
  for (const auto& one : epochs) {
    gaps.add(one);
  }
  return gaps.seconds();
}

auto near(double value) {
  return DoubleNear(value, 1e-9);
}

TEST(Gaps, AreTheTimesBetweenStamps) {
  EXPECT_THAT(gaps_of({}), IsEmpty());
  EXPECT_THAT(gaps_of({epoch(0, 5, 10), epoch(1, 18, 10), epoch(2, 29, 10)}),
              ElementsAre(near(3), near(1)))
      << "what follows the last epoch is not known";
}

TEST(Gaps, AnEvaluationBesideTheNextEpochCountsAsFarAsItDelaysIt) {
  EXPECT_THAT(gaps_of({epoch(0, 0, 10, 4), epoch(1, 11, 10, 4)}), ElementsAre(near(1)));
  EXPECT_THAT(gaps_of({epoch(0, 0, 10, 4), epoch(1, 14.5, 10, 4)}), ElementsAre(near(4.5)));
}

TEST(Gaps, OfOneEpochIsItsEvaluation) {
  EXPECT_THAT(gaps_of({epoch(0, 5, 10, 2)}), ElementsAre(near(2)));
  EXPECT_THAT(gaps_of({epoch(0, 5, 10)}), IsEmpty()) << "not known";
}

// A log that ends in the evaluation, or shows the start of the next epoch.
TEST(Gaps, AfterTheOnlyEpochAreAtLeastWhatWasSeen) {
  const auto seen_until = [](const std::vector<record::Epoch>& epochs, double now_s) {
    Gaps gaps;
    for (const auto& one : epochs) {
      gaps.add(one);
    }
    gaps.seen_until(now_s);
    return gaps.seconds();
  };
  EXPECT_THAT(seen_until({epoch(0, 5, 10)}, 18), ElementsAre(near(3)));
  EXPECT_THAT(seen_until({epoch(0, 5, 10, 2)}, 18), ElementsAre(near(3)));
  EXPECT_THAT(seen_until({epoch(0, 5, 10, 2)}, 16), ElementsAre(near(2)));
  EXPECT_THAT(seen_until({epoch(0, 5, 10)}, 0), IsEmpty());
  EXPECT_THAT(seen_until({epoch(0, 5, 10), epoch(1, 18, 10)}, 29), ElementsAre(near(3)))
      << "the end of a log is no gap";
  EXPECT_THAT(seen_until({epoch(0, 5, 10), epoch(1, 18, 10)}, 34), ElementsAre(near(3), near(6)))
      << "a gap that is open already longer is a lower bound";
}

TEST(Gaps, WithoutStampsOrWithAnEpochMissingAreEvaluations) {
  EXPECT_THAT(gaps_of({epoch(0, 0, 10, 2), epoch(1, 0, 10, 3)}), ElementsAre(near(2)));
  EXPECT_THAT(gaps_of({epoch(0, 0, 10, 2), epoch(5, 99, 10, 3)}), ElementsAre(near(2)));
}

TEST(Gaps, OverlappingEpochsHaveNone) {
  EXPECT_THAT(gaps_of({epoch(0, 0, 10), epoch(1, 9, 10)}), ElementsAre(near(0)));
}

}  // namespace
}  // namespace epochcast::forecast
