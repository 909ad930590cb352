#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "src/serving/load/stages.hpp"

namespace epochcast::load {
namespace {

std::vector<Arrivals::Arrival> all_of(const std::string& text, bool poisson, int seed = 1) {
  const auto stages = parse_stages(text, "constant");
  Arrivals arrivals(stages, poisson, seed);
  std::vector<Arrivals::Arrival> all;
  while (const auto arrival = arrivals.next()) {
    all.push_back(*arrival);
  }
  return all;
}

TEST(Arrivals, OfAConstantRateAreEvenlySpaced) {
  const auto all = all_of("4/s:2s", false);
  ASSERT_EQ(all.size(), 8U);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_DOUBLE_EQ(all[i].at_s, 0.125 + 0.25 * static_cast<double>(i));
  }
}

TEST(Arrivals, KeepTheirDistanceOverTheEndOfAStage) {
  const auto all = all_of("1/s:0.75s,1/s:10s", false);
  ASSERT_GE(all.size(), 2U);
  EXPECT_DOUBLE_EQ(all[1].at_s - all[0].at_s, 1);
  EXPECT_EQ(all[0].stage, 0U);
  EXPECT_EQ(all[1].stage, 1U);
}

TEST(Arrivals, OfARampFollowTheRate) {
  const auto all = all_of("0-100/s:10s", false);
  ASSERT_EQ(all.size(), 500U);
  for (std::size_t i = 0; i < all.size(); ++i) {  // 5 t^2 arrivals up to t
    EXPECT_NEAR(5 * all[i].at_s * all[i].at_s, static_cast<double>(i) + 0.5, 1e-9);
  }
  const auto down = all_of("100-0/s:10s", false);
  ASSERT_EQ(down.size(), 500U);
  EXPECT_NEAR(down.front().at_s, 10 - all.back().at_s, 1e-9);
}

TEST(Arrivals, OfAPoissonProcessHaveExponentialGaps) {
  const auto all = all_of("1000/s:100s", true);
  const auto count = static_cast<double>(all.size());
  EXPECT_NEAR(count, 100'000, 4 * std::sqrt(100'000.0));
  double sum = 0;
  double squares = 0;
  double before_s = 0;
  for (const auto& arrival : all) {
    const double gap_s = arrival.at_s - before_s;
    ASSERT_GE(gap_s, 0);
    before_s = arrival.at_s;
    sum += gap_s;
    squares += gap_s * gap_s;
  }
  const double mean_s = sum / count;
  EXPECT_NEAR(mean_s, 1e-3, 2e-5);
  EXPECT_NEAR(std::sqrt(squares / count - mean_s * mean_s), 1e-3, 2e-5);  // that of no other gap
}

TEST(Arrivals, OfASeedAreAlwaysTheSame) {
  const auto first = all_of("100/s:1s", true, 5);
  const auto again = all_of("100/s:1s", true, 5);
  const auto other = all_of("100/s:1s", true, 6);
  ASSERT_EQ(first.size(), again.size());
  EXPECT_EQ(first.front().at_s, again.front().at_s);
  EXPECT_NE(first.front().at_s, other.front().at_s);
}

TEST(Arrivals, AreNoneInAStageWithoutLoad) {
  const auto all = all_of("0/s:10s,1/s:2s", false);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_DOUBLE_EQ(all[0].at_s, 10.5);
}

}  // namespace
}  // namespace epochcast::load
