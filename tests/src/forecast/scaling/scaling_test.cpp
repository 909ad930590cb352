#include "src/forecast/scaling/scaling.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "src/forecast/run/regression.hpp"

namespace epochcast::forecast {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

/// Points of a law: what a worker needs for its share, by the number of workers.
template <class Share>
std::vector<ScalingPoint> points_of(const Share& share, const std::vector<double>& workers) {
  std::vector<ScalingPoint> points;
  for (const double n : workers) {
    points.push_back({.workers = n, .throughput = n / share(n)});
  }
  return points;
}

ScalingForecast answer_of(const std::vector<ScalingPoint>& points,
                          const ScalingQuestion& question) {
  return std::get<ScalingForecast>(scaling_forecast(points, question));
}

TEST(Scaling, FindsTheLawItWasMadeBy) {
  const auto amdahl = [](double n) { return 0.1 + 0.02 * (n - 1); };
  const auto ring = [](double n) { return 0.1 + 0.03 * (n - 1) / n; };
  const auto tree = [](double n) { return 0.1 + 0.03 * std::log2(n); };
  const auto usl = [](double n) { return 0.1 + 0.01 * (n - 1) + 0.002 * n * (n - 1); };
  const auto expect = [](const auto& share, const std::string& law) {
    const auto found = answer_of(points_of(share, {1, 2, 4, 8}), {.workers = 16});
    EXPECT_EQ(found.law, law);
    EXPECT_NEAR(found.throughput.value, 16 / share(16), 1e-6 * found.throughput.value) << law;
  };
  expect([](double) { return 0.1; }, "none");
  expect(ring, "(n-1)/n");
  expect(tree, "log n");
  expect(amdahl, "n-1");
  expect(usl, "n-1 and n(n-1)");
}

TEST(Scaling, KnowsAStepBetweenNodes) {
  std::vector<ScalingPoint> points;
  for (const double n : {1.0, 2.0, 4.0, 8.0, 16.0}) {
    const double nodes = std::ceil(n / 4);
    points.push_back({n, n / (0.1 + 0.03 * (nodes - 1)), nodes});
  }
  const auto found = answer_of(points, {.workers = 24, .nodes = 6});
  EXPECT_NEAR(found.throughput.value, 24 / 0.25, 1e-6);
  EXPECT_EQ(found.law, "none, a step a node");
}

TEST(Scaling, NeverExpectsThatMoreWorkersGetFasterEach) {
  const std::vector<ScalingPoint> points{{1, 10}, {2, 21}, {4, 44}};
  EXPECT_LE(answer_of(points, {.workers = 8}).throughput.value, 2 * 44);
  EXPECT_GE(answer_of(points, {.workers = 8}).throughput.value, 8 * 10);
}

TEST(Scaling, WarnsWhereNothingWasMeasured) {
  const auto points = points_of([](double n) { return 1 + 0.1 * (n - 1); }, {1, 2, 4});
  const std::vector<Border> borders{{4, "hardware threads of the same cores"}};
  EXPECT_THAT(answer_of(points, {.workers = 8}).reasons, IsEmpty());
  EXPECT_THAT(answer_of(points, {.workers = 9}).reasons,
              Contains(HasSubstr("more than twice the 4 measured")));
  EXPECT_THAT(answer_of(points, {.workers = 8, .nodes = 2}).reasons,
              Contains(HasSubstr("2 nodes; 1 were measured")));
  EXPECT_THAT(answer_of(points, {.workers = 8, .borders = borders}).reasons,
              Contains(HasSubstr("beyond 4 begin hardware threads")));
  EXPECT_THAT(answer_of(points, {.workers = 3, .borders = borders}).reasons, IsEmpty());
}

TEST(Scaling, BoundsTheCostOfAnotherNodeBetweenNothingAndEverything) {
  const auto linear = points_of([](double) { return 1; }, {1, 2, 4});
  const auto here = answer_of(linear, {.workers = 8});
  const auto there = answer_of(linear, {.workers = 8, .nodes = 2});
  EXPECT_NEAR(there.throughput.value, std::sqrt(4.0 * 8.0), 1e-9);
  EXPECT_LT(there.throughput.interval_80.low, 4);   // as good as alone
  EXPECT_GT(there.throughput.interval_80.high, 8);  // as good as on one node
  EXPECT_LT(here.throughput.interval_80.high / here.throughput.interval_80.low,
            there.throughput.interval_80.high / there.throughput.interval_80.low);
}

TEST(Scaling, IsRefusedFarBeyondTwoPoints) {
  const std::vector<ScalingPoint> points{{1, 10}, {2, 19}};
  EXPECT_TRUE(std::holds_alternative<ScalingForecast>(scaling_forecast(points, {.workers = 4})));
  EXPECT_THAT(std::get<Refusal>(scaling_forecast(points, {.workers = 5})).reason,
              HasSubstr("more than twice the 2 measured"));
  EXPECT_THAT(std::get<Refusal>(scaling_forecast({{1, 10}}, {.workers = 2})).reason,
              HasSubstr("one number of workers"));
  EXPECT_TRUE(std::holds_alternative<Refusal>(scaling_forecast({}, {.workers = 4})));
  EXPECT_TRUE(std::holds_alternative<Refusal>(scaling_forecast({{1, 0}}, {.workers = 1})));
  EXPECT_TRUE(std::holds_alternative<Refusal>(scaling_forecast({{1, NAN}}, {.workers = 1})));
}

TEST(Scaling, IsRefusedBeyondADecline) {
  const std::vector<std::vector<ScalingPoint>> declines{
      {{1, 1 / 11.0}, {2, 1 / 21.0}, {4, 1 / 41.0}},
      {{1, 271}, {2, 432}, {4, 298}},
      {{1, 271}, {2, 425}, {2, 439}, {4, 290}, {4, 306}, {8, 500, 2}, {8, 240}},
      {{2, 100}, {4, 80}}};
  for (const auto& points : declines) {
    const double asked = 2 * points.back().workers;
    EXPECT_THAT(std::get<Refusal>(scaling_forecast(points, {.workers = asked})).reason,
                HasSubstr(fmt::format("{:g} workers were slower than", points.back().workers)));
  }
  EXPECT_TRUE(
      std::holds_alternative<ScalingForecast>(scaling_forecast(declines[1], {.workers = 1.5})))
      << "below the best number";
  EXPECT_TRUE(std::holds_alternative<ScalingForecast>(
      scaling_forecast({{1, 271}, {2, 432}, {4, 420}}, {.workers = 8})))
      << "machines differ by as much";
}

TEST(Scaling, IntervalsGrowWithTheExtrapolation) {
  const auto points = points_of([](double n) { return 1 + 0.1 * (n - 1); }, {1, 2, 4});
  const auto near = answer_of(points, {.workers = 8});
  const auto far = answer_of(points, {.workers = 32});
  EXPECT_LT(near.throughput.interval_95.low, near.throughput.interval_80.low);
  EXPECT_LT(near.throughput.interval_80.low, near.throughput.value);
  EXPECT_LT(near.throughput.value, near.throughput.interval_80.high);
  EXPECT_LT(near.throughput.interval_80.high, near.throughput.interval_95.high);
  EXPECT_GT(far.throughput.interval_95.high / far.throughput.interval_95.low,
            near.throughput.interval_95.high / near.throughput.interval_95.low);
}

TEST(NonNegativeLeastSquares, SolvesWhatCanBeAndExcludesWhatWouldBeNegative) {
  // 2a + b = 1, a + 3b = 1.
  EXPECT_THAT(
      non_negative_least_squares({{2, 1}, {1, 3}}),
      testing::ElementsAre(testing::DoubleNear(0.4, 1e-12), testing::DoubleNear(0.2, 1e-12)));
  // a + b = 1, a + 3b = 0.5 would need b < 0 (the equations are scaled to 1).
  const auto found = non_negative_least_squares({{1, 1}, {2, 6}});
  EXPECT_NEAR(found[0], 0.6, 1e-12);
  EXPECT_EQ(found[1], 0);
}

}  // namespace
}  // namespace epochcast::forecast
