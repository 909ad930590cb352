#include "src/forecast/run/warm_up.hpp"

#include "tests/src/forecast/run/made_series.hpp"

namespace epochcast::forecast {
namespace {

TEST(Mser, CutsWhatIsUnlikeTheRest) {
  auto values = noisy(100, 1, 0.01);
  EXPECT_LE(mser_cut(values), 20u);
  for (std::size_t i = 0; i < 7; ++i) {
    values[i] += 1;
  }
  EXPECT_GE(mser_cut(values), 7u);
  EXPECT_LE(mser_cut(values), 20u);
}

TEST(Mser, NeverCutsMoreThanHalf) {
  std::vector<double> falling;
  for (int i = 0; i < 100; ++i) {
    falling.push_back(100 - i);
  }
  EXPECT_EQ(mser_cut(falling), 50u);
  EXPECT_EQ(mser_cut({}), 0u);
  EXPECT_EQ(mser_cut({1}), 0u);
  EXPECT_EQ(mser_cut({5, 5, 5, 5}), 0u);
}

TEST(WarmUpLength, IsAMultipleOfFive) {
  std::vector<double> steps(40, 0.1);
  steps[0] = 5;
  steps[1] = 1;
  EXPECT_EQ(warm_up_length(steps), 5u);
  EXPECT_EQ(warm_up_length({}), 0u);
}

}  // namespace

namespace {

std::vector<Step> steps_of(const std::vector<double>& seconds) {
  std::vector<Step> steps;
  for (const double one : seconds) {
    steps.push_back({.seconds = one});
  }
  return steps;
}

std::optional<Stall> stall_in(const std::vector<double>& seconds) {
  return stall_among(steps_of(seconds), 0);
}

Stall only(std::size_t index) {
  return {index, index + 1};
}

TEST(Stall, IsTheOneFarFromAllOthers) {
  EXPECT_EQ(stall_in({1, 1.01, 9, 1, 0.99}), only(2));
  EXPECT_EQ(stall_in({1, 1.01, 0.2, 1, 0.99}), only(2));
  EXPECT_EQ(stall_among(steps_of({9, 1, 1.01, 5, 1, 0.99}), 1), only(3));
}

TEST(Stall, IsNoneWhereTwoAreOrTheOthersSpread) {
  EXPECT_EQ(stall_in({1, 1.01, 9, 1, 9}), std::nullopt);
  EXPECT_EQ(stall_in({1, 1.4, 2, 1.2, 1.7}), std::nullopt);
  EXPECT_EQ(stall_in({1, 1.001, 1.002, 1.03}), std::nullopt);  // no more than machines differ
  EXPECT_EQ(stall_in({1}), std::nullopt);
  EXPECT_EQ(stall_in({}), std::nullopt);
}

TEST(Stall, OfTwoIsTheLaterOneIfTheOneBeforeAgreesWithTheFirst) {
  const auto after_first = [](const std::vector<double>& seconds) {
    return stall_among(steps_of(seconds), 1);
  };
  EXPECT_EQ(after_first({1.01, 1, 1.2}), only(2));
  EXPECT_EQ(after_first({1, 1.02, 1.5}), only(2));
  EXPECT_EQ(after_first({1.3, 1, 1.2}), std::nullopt) << "noise looks the same";
  EXPECT_EQ(after_first({1, 1.1, 1.2}), std::nullopt) << "times grow";
  EXPECT_EQ(after_first({1, 0, 1}), std::nullopt) << "the second is the odd one";
  EXPECT_EQ(after_first({1, 1, 0.5}), std::nullopt) << "a fall is a warm-up";
  EXPECT_EQ(stall_in({1, 1.2}), std::nullopt) << "either may be";
  EXPECT_EQ(stall_in({1.2, 1}), std::nullopt);
}

// The one must not be dropped and the other taken for the level.
TEST(Stall, OfTwoStepsInARowIsBothOrNone) {
  EXPECT_EQ(stall_in({1, 1, 1.2, 3, 1}), (Stall{2, 4}));
  EXPECT_EQ(stall_in({1, 1, 3, 1.2, 1}), (Stall{2, 4}));
  EXPECT_EQ(stall_in({1, 1, 0.8, 0.1, 1}), (Stall{2, 4}));
  EXPECT_EQ(stall_in({1, 1, 1, 1.2, 3}), std::nullopt) << "perhaps a new level";
  EXPECT_EQ(stall_in({1, 1.2, 1, 1, 3}), only(4)) << "not in a row";
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
