#include "src/forecast/stall.hpp"

#include "tests/src/forecast/made_series.hpp"

namespace epochcast::forecast {
namespace {

std::vector<Step> steps_of(const std::vector<double>& seconds) {
  std::vector<Step> steps;
  for (const double one : seconds) {
    steps.push_back({.seconds = one});
  }
  return steps;
}

std::optional<std::size_t> stall_in(const std::vector<double>& seconds) {
  return stall_among(steps_of(seconds), 0);
}

TEST(Stall, IsTheOneFarFromAllOthers) {
  EXPECT_EQ(stall_in({1, 1.01, 9, 1, 0.99}), 2u);
  EXPECT_EQ(stall_in({1, 1.01, 0.2, 1, 0.99}), 2u);
  EXPECT_EQ(stall_among(steps_of({9, 1, 1.01, 5, 1, 0.99}), 1), 3u);
}

TEST(Stall, IsNoneWhereTwoAreOrTheOthersSpread) {
  EXPECT_EQ(stall_in({1, 1.01, 9, 1, 9}), std::nullopt);
  EXPECT_EQ(stall_in({1, 1.4, 2, 1.2, 1.7}), std::nullopt);
  EXPECT_EQ(stall_in({1, 1.001, 1.002, 1.03}), std::nullopt);  // no more than machines differ
  EXPECT_EQ(stall_in({1}), std::nullopt);
  EXPECT_EQ(stall_in({}), std::nullopt);
}

TEST(Stall, OfTwoIsOnlyTheLaterOne) {
  EXPECT_EQ(stall_in({1, 1.2}), 1u);
  EXPECT_EQ(stall_in({1.2, 1}), std::nullopt);
}

TEST(Stall, IsRareAmongNormalValues) {
  int found = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    found += stall_in(noisy(5, 1, 0.2, seed)) ? 1 : 0;
  }
  EXPECT_LE(found, 0.07 * 2000);
}

}  // namespace
}  // namespace epochcast::forecast
