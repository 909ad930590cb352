#include "src/forecast/service/serving.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace epochcast::forecast {
namespace {

/// Answers in launch_s + item_s b.
Service service(double launch_s, double item_s, std::int64_t batch, double wait_s = 0) {
  return {.cost = {launch_s, item_s, 1}, .batch = batch, .wait_s = wait_s, .queue = 100'000};
}

Traffic traffic(Arrivals arrivals, double load, double time_s) {
  return {.arrivals = arrivals, .load = load, .time_s = time_s};
}

TEST(Serving, ARequestAloneTakesItsWaitAndItsBatch) {
  const auto alone = simulate(service(0.010, 0.002, 8, 0.005), traffic(Arrivals::constant, 1, 100));
  EXPECT_EQ(alone.answered, 99);
  EXPECT_NEAR(alone.p50_s, 0.017, 1e-12);
  EXPECT_NEAR(alone.p99_s, 0.017, 1e-12);
  EXPECT_EQ(alone.mean_batch, 1);
  EXPECT_NEAR(alone.busy_share, 0.012, 0.001);
}

TEST(Serving, AFullBatchDoesNotWait) {
  auto four = traffic(Arrivals::constant, 1, 100);
  four.kinds = {{.inputs = 4, .share = 1}};
  const auto full = simulate(service(0.010, 0.002, 4, 0.5), four);
  EXPECT_NEAR(full.p50_s, 0.018, 1e-12);
  EXPECT_EQ(full.mean_batch, 4);
}

TEST(Serving, ARequestOfMoreInputsThanABatchTakesSeveralBatches) {
  auto ten = traffic(Arrivals::constant, 1, 100);
  ten.kinds = {{.inputs = 10, .share = 1}};
  const auto split = simulate(service(0.010, 0, 4), ten);
  EXPECT_NEAR(split.p50_s, 0.030, 1e-12);
  EXPECT_NEAR(split.mean_batch, 10.0 / 3, 1e-12);
}

TEST(Serving, UsersThatWaitForEachOtherFillTheBatches) {
  const auto users = simulate(service(0.1, 0, 8), traffic(Arrivals::closed, 8, 100));
  EXPECT_NEAR(users.p50_s, 0.1, 0.001);
  EXPECT_NEAR(users.mean_batch, 8, 0.1);
  EXPECT_NEAR(users.per_second, 80, 1);
}

/// Pollaczek and Khinchine: the mean time in a queue with one server and a fixed time of service.
TEST(SlowServing, BatchesOfOneAreTheQueueOfTheTextbook) {
  constexpr double step_s = 0.010;
  for (const double busy : {0.3, 0.6, 0.9}) {
    const auto served =
        simulate(service(step_s, 0, 1), traffic(Arrivals::poisson, busy / step_s, 20'000));
    const double expected_s = step_s + busy * step_s / (2 * (1 - busy));
    EXPECT_NEAR(served.mean_s / expected_s, 1, 0.03) << busy;
    EXPECT_NEAR(served.busy_share, busy, 0.01);
  }
}

TEST(Serving, TheTailOfAnIdleQueueOfOneIsThatOfItsWait) {
  // M/D/1, P(wait = 0) = 1 - busy: at 0.5 % of its capacity 99 % of the requests do not wait.
  const auto served = simulate(service(0.010, 0, 1), traffic(Arrivals::poisson, 0.5, 20'000));
  EXPECT_NEAR(served.p99_s, 0.010, 1e-9);
}

TEST(Serving, RefusesWhatTheQueueCannotHold) {
  auto small = service(1, 0, 1);
  small.queue = 5;
  const auto served = simulate(small, traffic(Arrivals::constant, 10, 9.95));
  EXPECT_EQ(served.answered + served.refused, 99);
  EXPECT_NEAR(static_cast<double>(served.answered), 15, 1) << "ten seconds' worth, and the queue";
  EXPECT_TRUE(std::isinf(served.p99_s)) << "refused requests break a threshold too";
}

TEST(Serving, TheTailOfTheAnsweredRequestsIsFiniteWhenOthersAreRefused) {
  auto small = service(1, 0, 1);
  small.queue = 5;
  const auto served = simulate(small, traffic(Arrivals::constant, 10, 9.95));
  ASSERT_GT(served.refused, 0U);
  EXPECT_GE(served.p99_answered_s, 5);
  EXPECT_LE(served.p99_answered_s, 6);
  const auto all = simulate(service(0.01, 0, 1), traffic(Arrivals::poisson, 50, 100));
  EXPECT_EQ(all.p99_answered_s, all.p99_s);
}

TEST(Serving, ATypicalSampleIsTheMedianOfFive) {
  const auto busy = service(0.01, 0, 1);
  const auto short_test = traffic(Arrivals::poisson, 80, 5);
  std::vector<double> p99_s;
  for (const std::uint64_t sample : {0, 1, 2, 3, 4}) {
    p99_s.push_back(simulate(busy, short_test, sample).p99_s);
  }
  std::ranges::sort(p99_s);
  EXPECT_LT(p99_s.front(), p99_s.back());
  EXPECT_EQ(simulate_typical(busy, short_test).p99_s, p99_s[2]);
}

TEST(Serving, RefusedUsersComeBackLater) {
  auto small = service(1, 0, 1);
  small.queue = 1;
  const auto served = simulate(small, traffic(Arrivals::closed, 4, 10));
  EXPECT_GT(served.refused, 5);
  EXPECT_LT(served.refused, 60);
}

TEST(Serving, CachedRequestsNeitherWaitNorCost) {
  auto mixed = traffic(Arrivals::poisson, 100, 1000);
  mixed.kinds = {{.inputs = 3, .share = 0.95, .cached = true}, {.inputs = 10, .share = 0.05}};
  auto with_overhead = service(0.010, 0.001, 32);
  with_overhead.overhead_s = 0.001;
  const auto served = simulate(with_overhead, mixed);
  EXPECT_NEAR(served.p50_s, 0.001, 1e-9);
  EXPECT_GE(served.p99_s, 0.021);
  EXPECT_NEAR(served.busy_share, 100 * 0.05 * 0.020, 0.01);
  EXPECT_NEAR(capacity_per_s(with_overhead, mixed.kinds), 32 / 0.042 / 0.5, 1e-9);
}

TEST(Serving, TheSameQuestionHasTheSameAnswer) {
  const auto asked = traffic(Arrivals::poisson, 60, 50);
  const auto first = simulate(service(0.01, 0.002, 8), asked, 3);
  const auto again = simulate(service(0.01, 0.002, 8), asked, 3);
  EXPECT_EQ(first.p99_s, again.p99_s);
  EXPECT_NE(first.p99_s, simulate(service(0.01, 0.002, 8), asked, 4).p99_s);
}

TEST(Serving, AServiceBreaksNearItsCapacity) {
  const auto model = service(0.020, 0.005, 16, 0.005);
  const double capacity = capacity_per_s(model, {RequestKind{}});
  EXPECT_NEAR(capacity, 160, 1e-9);
  const auto found = breaking_load(model, traffic(Arrivals::poisson, 0, 60), 2).value();
  EXPECT_GT(found.load, 0.95 * capacity);
  EXPECT_LT(found.load, 1.15 * capacity) << "in a minute the queue does not grow without end";
  EXPECT_LE(found.low, found.load);
  EXPECT_GE(found.high, found.load);
}

TEST(Serving, ATightThresholdBreaksEarlier) {
  const auto model = service(0.020, 0.005, 16);
  const auto asked = traffic(Arrivals::poisson, 0, 60);
  EXPECT_LT(breaking_load(model, asked, 0.15)->load, breaking_load(model, asked, 2)->load);
  EXPECT_FALSE(breaking_load(model, asked, 0.024).has_value()) << "one request takes 25 ms";
}

TEST(Serving, CountsUsersWhereTheyWaitForTheirAnswers) {
  // A batch takes 0.1 s and answers 4 of N users, so that a user waits N / 4 batches.
  const auto found =
      breaking_load(service(0.1, 0, 4), traffic(Arrivals::closed, 0, 60), 2.05).value();
  EXPECT_NEAR(found.load, 80, 4);
}

TEST(Serving, ASmallQueueBreaksByItsRefusals) {
  auto small = service(0.1, 0, 1);
  small.queue = 2;
  const auto found = breaking_load(small, traffic(Arrivals::poisson, 0, 600), 100).value();
  EXPECT_LT(found.load, 5) << "of ten a second: three at once are then one in a hundred";
}

TEST(Serving, NothingBreaksACache) {
  auto cached = traffic(Arrivals::poisson, 0, 60);
  cached.kinds = {{.inputs = 1, .share = 1, .cached = true}};
  EXPECT_FALSE(breaking_load(service(0.1, 0, 1), cached, 2).has_value());
  EXPECT_TRUE(std::isinf(capacity_per_s(service(0.1, 0, 1), cached.kinds)));
}

TEST(Serving, NoTrafficIsAMistakeOfTheProgram) {
  EXPECT_THROW(simulate(service(0.1, 0, 1), traffic(Arrivals::poisson, 0, 60)), std::logic_error);
  EXPECT_THROW(simulate(service(0.1, 0, 1), traffic(Arrivals::poisson, 1, 0)), std::logic_error);
}

}  // namespace
}  // namespace epochcast::forecast
