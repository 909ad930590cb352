#include "src/forecast/run/levels.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "src/forecast/run/step.hpp"
#include "tests/src/forecast/run/made_series.hpp"

namespace epochcast::forecast {
namespace {

/// The least cost of all segmentations, by trying every one: 2^(n-1).
double least_cost(const std::vector<double>& values, double noise) {
  const auto n = values.size();
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t cuts = 0; cuts < std::size_t{1} << (n - 1); ++cuts) {
    double cost = 0;
    for (std::size_t from = 0; from < n;) {
      std::size_t to = from + 1;
      while (to < n && (cuts >> (to - 1) & 1) == 0) {
        ++to;
      }
      const std::vector<double> part(values.begin() + static_cast<std::ptrdiff_t>(from),
                                     values.begin() + static_cast<std::ptrdiff_t>(to));
      cost += moments_of(part).squares / (noise * noise) + 15 * std::log(n);
      from = to;
    }
    least = std::min(least, cost);
  }
  return least;
}

double cost_of(const std::vector<double>& values, std::vector<std::size_t> starts, double noise) {
  starts.push_back(values.size());
  double cost = 0;
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    const std::vector<double> part(values.begin() + static_cast<std::ptrdiff_t>(starts[i]),
                                   values.begin() + static_cast<std::ptrdiff_t>(starts[i + 1]));
    cost += moments_of(part).squares / (noise * noise) +
            15 * std::log(static_cast<double>(values.size()));
  }
  return cost;
}

TEST(LevelStarts, FindsTheBestSegmentation) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    auto values = noisy(12, 1, 0.01, seed);
    for (std::size_t i = seed % 12; i < 12; ++i) {
      values[i] += 0.12;
    }
    for (std::size_t i = seed % 5; i < seed % 7; ++i) {
      values[i] -= 0.2;
    }
    EXPECT_NEAR(cost_of(values, level_starts(values, 0.01), 0.01), least_cost(values, 0.01), 1e-6);
  }
}

TEST(LevelStarts, FindsJumpsAndNothingInNoise) {
  auto values = noisy(300, 1, 0.02);
  EXPECT_THAT(level_starts(values, 0.02), testing::ElementsAre(0));
  for (std::size_t i = 100; i < 300; ++i) {
    values[i] += i < 200 ? 0.2 : 0.1;
  }
  EXPECT_THAT(level_starts(values, 0.02), testing::ElementsAre(0, 100, 200));
  EXPECT_THAT(level_starts({}, 1), testing::IsEmpty());
}

TEST(Noise, IsThatOfNeighborsNotOfLevels) {
  auto values = noisy(4000, 1, 0.05);
  EXPECT_NEAR(noise_of(values), 0.05, 0.005);
  for (std::size_t i = 2000; i < 4000; ++i) {
    values[i] += 3;
  }
  EXPECT_NEAR(noise_of(values), 0.05, 0.005);
  EXPECT_EQ(noise_of({1}), 0);
}

}  // namespace

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
