#include "src/forecast/period.hpp"

#include "tests/src/forecast/made_series.hpp"

namespace epochcast::forecast {
namespace {

TEST(Period, IsFoundThroughNoise) {
  auto values = noisy(100, 1, 0.05);
  for (std::size_t i = 0; i < 100; i += 7) {
    values[i] += 1;
  }
  EXPECT_EQ(period_of(values), 7u);
}

TEST(Period, IsNotFoundInNoiseNorWithoutThreeOfThem) {
  int found = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    found += period_of(noisy(60, 1, 0.05, seed)) > 0 ? 1 : 0;
  }
  EXPECT_LE(found, 2);
  std::vector<double> values(20, 1);
  values[3] = values[13] = 2;
  EXPECT_EQ(period_of(values), 0u);
  EXPECT_EQ(period_of({}), 0u);
}

TEST(Autocorrelation, IsThatOfItsProcess) {
  const auto noise = noisy(20000, 1, 1);
  std::vector<double> values{0};
  for (const double one : noise) {
    values.push_back(0.7 * values.back() + one);
  }
  EXPECT_NEAR(autocorrelation(values, 1), 0.7, 0.02);
  EXPECT_NEAR(autocorrelation(values, 2), 0.49, 0.03);
  EXPECT_EQ(autocorrelation({1, 1, 1}, 1), 0);
  EXPECT_EQ(autocorrelation({1, 2}, 5), 0);
}

}  // namespace
}  // namespace epochcast::forecast
