#include "src/forecast/statistics/regression.hpp"

#include "tests/src/forecast/run/made_series.hpp"

namespace epochcast::forecast {
namespace {

TEST(TheilSen, IsTheSlopeWhateverAFewValuesAre) {
  std::vector<double> values;
  for (int i = 0; i < 30; ++i) {
    values.push_back(5 + 0.25 * i);
  }
  values[3] = 1000;
  values[20] = -1000;
  EXPECT_NEAR(theil_sen_slope(values), 0.25, 1e-12);
  EXPECT_EQ(theil_sen_slope({1}), 0);
}

TEST(Drifts, ReportsDriftsAndRarelyNoise) {
  int found = 0;
  for (unsigned seed = 0; seed < 1000; ++seed) {
    found += drifts(noisy(40, 1, 0.01, seed)) ? 1 : 0;
  }
  EXPECT_LE(found, 15);
  auto rising = noisy(40, 1, 0.01);
  for (std::size_t i = 0; i < 40; ++i) {
    rising[i] += 0.002 * static_cast<double>(i);
  }
  EXPECT_TRUE(drifts(rising));
  EXPECT_FALSE(drifts({1, 2, 3, 4}));
  EXPECT_FALSE(drifts(std::vector<double>(40, 1)));
  EXPECT_FALSE(drifts({}));
}

TEST(ChiSquared, ReachesAreThoseOfTables) {
  EXPECT_NEAR(chi_squared_quantile(0.95, 1), 3.841, 0.001);
  EXPECT_NEAR(chi_squared_quantile(0.95, 9), 16.919, 0.001);
}

}  // namespace

}  // namespace epochcast::forecast
