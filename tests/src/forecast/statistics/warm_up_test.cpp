#include "src/forecast/statistics/warm_up.hpp"

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
}  // namespace epochcast::forecast
