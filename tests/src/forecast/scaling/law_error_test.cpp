#include "src/forecast/scaling/law_error.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace epochcast::forecast {
namespace {

TEST(LawError, IsThatOfThePriorUntilErrorsWereMeasured) {
  EXPECT_NEAR(std::sqrt(law_error(0, 0).variance), 0.05, 1e-12);
  EXPECT_EQ(law_error(0, 0).freedom, 3);
  EXPECT_NEAR(std::sqrt(law_error(1000 * 0.2 * 0.2, 1000).variance), 0.2, 0.001);
}

TEST(LawError, ALawThatFitsBetterCountsMore) {
  EXPECT_EQ(disagreement({}), 0);
  EXPECT_NEAR(disagreement({{0, 1}, {0.2, 1}}), 0.02, 1e-12);
  EXPECT_NEAR(disagreement({{0, 1}, {0.2, 1.0 / 3}}), 0.03, 1e-12);
}

TEST(LawError, IntervalsAreWiderWithFewerDegreesOfFreedom) {
  const auto few = law_prediction(2, 0.1, 3);
  const auto many = law_prediction(2, 0.1, 1000);
  EXPECT_NEAR(many.interval_95.high, 2 * std::exp(1.96 * 0.1), 0.001);
  EXPECT_GT(few.interval_95.high, many.interval_95.high);
  EXPECT_NEAR(few.interval_80.low * few.interval_80.high, 4, 1e-9);
}

}  // namespace
}  // namespace epochcast::forecast
