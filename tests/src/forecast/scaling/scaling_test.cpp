#include "src/forecast/scaling/scaling.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "src/forecast/run/prior_constants.hpp"
#include "src/forecast/statistics/regression.hpp"
#include "tests/shared_data.hpp"

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

using Series = std::vector<ScalingPoint>;

/// 1, 2, ... workers to 4 or 8, some of them twice; each doubling wins less than the one before,
/// and the last is given.
std::vector<Series> series_with_last_gain(const std::vector<double>& last_gains) {
  std::vector<Series> all;
  for (const double last_gain : last_gains) {
    for (const double first_gain : {1.15, 1.4, 1.7, 1.9, 2.0}) {
      for (const std::vector<double>& workers :
           {std::vector<double>{1, 2, 4}, {2, 4, 8}, {1, 2, 4, 8}, {1, 2, 2, 4, 4}, {1, 2}}) {
        Series series{{.workers = workers.front(), .throughput = 7.0 * first_gain}};
        for (std::size_t i = 1; i < workers.size(); ++i) {
          const double gain = workers[i] == workers.back() ? last_gain : first_gain;
          series.push_back(
              {workers[i], series.back().throughput * (workers[i] == workers[i - 1] ? 1 : gain)});
        }
        all.push_back(series);
      }
    }
  }
  return all;
}

double best_of(const Series& series) {
  return std::ranges::max_element(series, {}, &ScalingPoint::throughput)->throughput;
}

/// No answer for any number of workers is faster than the best measured.
void expect_no_gain(const Series& series) {
  for (const double asked : {0.5, 0.75, 1.0, 1.5, 2.0, 4.0, 16.0}) {
    const auto answer = scaling_forecast(series, {.workers = asked * series.back().workers});
    const auto* found = std::get_if<ScalingForecast>(&answer);
    EXPECT_LE(found == nullptr ? 0 : found->throughput.value, best_of(series) * (1 + 1e-9))
        << "workers: " << series.back().workers << " to " << asked << " times as many";
    if (asked > 1 && found != nullptr && found->throughput.value == best_of(series)) {
      EXPECT_EQ(found->law, "the last doubling");
      EXPECT_THAT(found->reasons, Contains(HasSubstr("no gain: ")));
    }
  }
}

TEST(Scaling, IsNoGainWhereTheLastDoublingWonNothing) {
  const auto made = series_with_last_gain({0.6, 0.9, 0.945, 0.97, 1.0, 1.03, 1.059});
  EXPECT_GE(made.size(), 40);
  for (const auto& series : made) {
    expect_no_gain(series);
  }
  const Series as_reported{{1, 100}, {2, 190}, {4, 180}};
  const auto found = answer_of(as_reported, {.workers = 8});
  EXPECT_EQ(found.throughput.value, 190);
  EXPECT_TRUE(found.throughput.interval_80.holds(150));
  EXPECT_NEAR(found.throughput.interval_95.high, 1.06 * 8 * 100, 1e-9)
      << "none does more in company than alone";
  EXPECT_THAT(found.reasons, Contains("no gain: 4 did 0.947 times as much per second as 2, and "
                                      "machines differ by up to 6 %"));
  expect_no_gain({{1, 100}, {3, 150}, {4, 145}});
}

TEST(Scaling, AddsNoMoreThanTheLastDoublingShowed) {
  for (const auto& series : series_with_last_gain({1.07, 1.1, 1.2, 1.3, 1.5, 1.7, 1.9})) {
    const double last = series.back().throughput;
    const auto half = std::ranges::find(series, series.back().workers / 2, &ScalingPoint::workers);
    const auto answer = answer_of(series, {.workers = 2 * series.back().workers});
    EXPECT_LE(answer.throughput.value,
              (1 + machine_tolerance) * (last + 2 * (last - half->throughput)));
    EXPECT_LE(answer_of(series, {.workers = series.back().workers}).throughput.value,
              (1 + machine_tolerance) * last);
  }
}

/// But for what two laws differ by where one takes over from the other.
TEST(Scaling, MoreMeasuredIsNotLessForecast) {
  constexpr double between_laws = 0.9;
  for (const double second : {115, 140, 160, 190, 200}) {
    double before = 0;
    for (double third = second; third <= 2 * second; third += 2) {
      const auto answer = answer_of({{1, 100}, {2, second}, {4, third}}, {.workers = 8});
      EXPECT_GE(answer.throughput.value, between_laws * before) << second << ", " << third;
      before = answer.throughput.value;
    }
  }
}

TEST(Scaling, AWorkerThatDidMoreInCompanyShowsHowNoisyTheRunsAre) {
  const auto of_second = [](double second) {
    return answer_of({{1, 100}, {2, second}, {4, 300}}, {.workers = 8}).throughput.value;
  };
  EXPECT_NEAR(of_second(200), 500, 1e-9);
  EXPECT_GT(of_second(240), 560);
}

TEST(Scaling, HoldsOnTwoNodesOfThePublishedDataParallelStudy) {
  const std::vector<ScalingPoint> one_node{{1, 1, 1}, {2, 1.75, 1}, {4, 3.40, 1}};
  for (const auto& [workers, speedup] : {std::pair{2, 1.40}, {4, 2.75}, {8, 4.02}}) {
    const auto found = answer_of(one_node, {.workers = double(workers), .nodes = 2});
    EXPECT_TRUE(found.throughput.interval_80.holds(speedup)) << workers;
  }
}

TEST(Scaling, HowLittleMoreNodesWinSaysNothingAboutOne) {
  const std::vector<ScalingPoint> points{{1, 100}, {2, 195}, {4, 380}, {8, 370, 2}};
  EXPECT_LE(answer_of(points, {.workers = 8, .nodes = 2}).throughput.value, 380);
  EXPECT_GT(answer_of(points, {.workers = 8}).throughput.value, 400);
}

/// Gavel's throughputs by device and job.
std::map<std::string, Series> gavel_series() {
  std::map<std::string, Series> all;
  std::ifstream file(shared_data("timing/gavel-throughputs.csv"));
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::string device, job, workers, throughput;
    std::getline(cells, device, ',');
    std::getline(cells, job, ',');
    std::getline(cells, workers, ',');
    std::getline(cells, throughput, ',');
    if (std::stod(throughput) > 0) {
      all[device + " " + job].push_back({std::stod(workers), std::stod(throughput)});
    }
  }
  return all;
}

TEST(Scaling, IsNoGainWhereALastDoublingOfGavelWonNothing) {
  EPOCHCAST_NEEDS_SHARED_DATA("timing/gavel-throughputs.csv");
  std::size_t without_gain = 0;
  for (auto& [name, series] : gavel_series()) {
    std::ranges::sort(series, {}, &ScalingPoint::workers);
    for (std::size_t count = 2; count <= series.size(); ++count) {
      const Series fewest(series.begin(), series.begin() + static_cast<std::ptrdiff_t>(count));
      if (fewest[count - 1].throughput < (1 + machine_tolerance) * fewest[count - 2].throughput) {
        ++without_gain;
        expect_no_gain(fewest);
      }
    }
  }
  EXPECT_GE(without_gain, 6);
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
