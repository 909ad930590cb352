// The model of the queue on queues whose outcome can be worked out by hand. Past jobs used a fixed
// share of their limits, so that the draws agree.
#include "src/forecast/queue/queue_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "src/forecast/queue/queue_part.hpp"

namespace epochcast::queue {
namespace {

/// A job on the only node of the queue.
ModelJob one_node_job(std::int64_t cpus, double limit_s, double elapsed_s = 0) {
  return {.user = "u",
          .nodes = {0},
          .partition = {0},
          .count = 1,
          .each = {.cpus = cpus, .memory_mib = 0, .gpus = 0},
          .limit_s = limit_s,
          .elapsed_s = elapsed_s};
}

UseShares shares_of(double share) {
  return UseShares(std::vector<PastUse>(9, {"u", 100, 100 * share}));
}

/// A node of 10 CPUs; backfill every second, so that it adds little.
QueueModel small_queue() {
  QueueModel queue{
      .nodes = {{.cpus = 10, .memory_mib = 0, .gpus = 0}}, .running = {}, .waiting = {}};
  queue.backfill_interval_s = 1;
  return queue;
}

struct Range {
  double least_s;
  double most_s;
};
Range waits_of(const QueueModel& queue, const ModelJob& job, const UseShares& shares) {
  const auto waits = wait_draws(queue, job, shares, {.draws = 30, .planned = 50}, 1);
  return {*std::ranges::min_element(waits), *std::ranges::max_element(waits)};
}

TEST(QueueModel, StartsAtOnceWhereThereIsRoom) {
  auto queue = small_queue();
  queue.running = {one_node_job(8, 600)};
  const auto [least_s, most_s] = waits_of(queue, one_node_job(2, 600), shares_of(1));
  EXPECT_EQ(least_s, 0);
  EXPECT_EQ(most_s, 0);
}

TEST(QueueModel, WaitsForTheUseOfOtherJobsAndNotForTheirLimits) {
  auto queue = small_queue();
  queue.running = {one_node_job(10, 600, 100)};
  queue.waiting = {one_node_job(10, 400)};
  const auto [least_s, most_s] = waits_of(queue, one_node_job(10, 60), shares_of(0.5));
  EXPECT_EQ(least_s, 300 - 100 + 200);
  EXPECT_EQ(most_s, 300 - 100 + 200);
}

TEST(QueueModel, BackfillsAShortJobButNotOneThatWouldDelayTheFirst) {
  auto queue = small_queue();
  queue.running = {one_node_job(8, 600)};
  queue.waiting = {one_node_job(10, 600)};
  const auto is_short = waits_of(queue, one_node_job(2, 599), shares_of(1));
  EXPECT_LE(is_short.most_s, 1) << "the next tick of the backfill";
  const auto is_long = waits_of(queue, one_node_job(2, 601), shares_of(1));
  EXPECT_EQ(is_long.least_s, 1200);
}

TEST(QueueModel, KeepsTheNodesOfAPlannedStartWhole) {
  auto queue = small_queue();
  queue.running = {one_node_job(8, 600)};
  queue.waiting = {one_node_job(4, 600)};
  // Both would fit at 600 s; but what runs until then may not use the planned node.
  EXPECT_LE(waits_of(queue, one_node_job(2, 599), shares_of(1)).most_s, 1);
  EXPECT_EQ(waits_of(queue, one_node_job(2, 601), shares_of(1)).least_s, 600);
}

TEST(QueueModel, AJobElsewhereCanMoveAPlannedStart) {
  auto queue = small_queue();
  queue.nodes[0].cpus = 12;
  queue.running = {one_node_job(4, 70), one_node_job(4, 115), one_node_job(2, 300)};
  queue.waiting = {one_node_job(6, 600)};
  const auto job = one_node_job(2, 200);
  EXPECT_GE(waits_of(queue, job, shares_of(1)).least_s, 70) << "planned at 115 s";
  queue.elsewhere = {one_node_job(1, 118)};  // so that the group of ends goes on: planned at 300 s
  EXPECT_LE(waits_of(queue, job, shares_of(1)).most_s, 1);
}

TEST(QueueModel, BackfillActsOnlyAtItsInterval) {
  auto queue = small_queue();
  queue.backfill_interval_s = 30;
  queue.running = {one_node_job(8, 600)};
  queue.waiting = {one_node_job(10, 600)};
  const auto waits = waits_of(queue, one_node_job(2, 60), shares_of(1));
  EXPECT_GT(waits.most_s, 15);
  EXPECT_LE(waits.most_s, 30);
}

TEST(QueueModel, DoesNotWaitForeverBehindAJobWithoutALimitThatEnds) {
  auto queue = small_queue();
  queue.running = {one_node_job(10, never_s, 50)};
  const UseShares with_past({{"u", never_s, 80}});
  EXPECT_EQ(waits_of(queue, one_node_job(1, 60), with_past).most_s, 30);
  EXPECT_EQ(waits_of(queue, one_node_job(1, 60), UseShares{}).least_s, never_s)
      << "nothing says when it ends";
}

TEST(QueueModel, LetsLaterJobsFillGapsBeforeIt) {
  auto queue = small_queue();
  queue.running = {one_node_job(6, 600, 300)};
  auto idle = queue;
  queue.arrivals = {one_node_job(4, 200)};
  queue.arrivals_per_s = 0.05;
  const auto shares = shares_of(0.9);
  EXPECT_EQ(waits_of(idle, one_node_job(10, 600), shares).most_s, 240);
  // At most one of them runs when the first job ends; it keeps the job waiting for up to 180 s.
  const auto later = waits_of(queue, one_node_job(10, 600), shares);
  EXPECT_GT(later.most_s, 240);
  EXPECT_LE(later.most_s, 300 + 180);
}

TEST(QueueModel, GoesBehindAHigherTierAndBeforeALowerOne) {
  auto queue = small_queue();
  queue.running = {one_node_job(10, 100)};
  auto high = one_node_job(10, 200);
  high.tier = 2;
  auto low = one_node_job(10, 400);
  low.tier = 0;
  queue.waiting = {high, low};
  EXPECT_EQ(waits_of(queue, one_node_job(10, 60), shares_of(1)).least_s, 300);
}

TEST(QueueModel, TellsTheGapByTheLimitsOfOthers) {
  auto queue = small_queue();
  queue.running = {one_node_job(8, 600, 100)};
  const ModelEffort effort;
  EXPECT_EQ(gap_now_s(queue, one_node_job(2, 60), effort), never_s);
  queue.waiting = {one_node_job(10, 600)};
  EXPECT_EQ(gap_now_s(queue, one_node_job(2, 60), effort), 500);
  EXPECT_EQ(gap_now_s(queue, one_node_job(3, 60), effort), 0);
}

TEST(QueueModel, ComputesLessForALargerQueueAndNothingForAHugeOne) {
  QueueModel queue;
  queue.nodes.resize(30);
  queue.running.resize(200);
  queue.waiting.resize(100);
  const auto effort = effort_for(queue);
  EXPECT_GE(effort.draws, 20U);
  EXPECT_GE(effort.planned, 1U);
  EXPECT_LT(effort.planned, effort_for(small_queue()).planned);
  queue.nodes.resize(2000);
  queue.waiting.resize(3000);
  EXPECT_FALSE(effort_for(queue).is_possible());
}

TEST(QueueModel, EndsWhereHigherTiersTakeAllRoomForever) {
  auto queue = small_queue();
  auto high = one_node_job(10, 100);
  high.tier = 2;
  queue.running = {high};
  queue.waiting = std::vector<ModelJob>(20, high);
  queue.arrivals = {high};
  queue.arrivals_per_s = 2 / high.limit_s;
  const auto waits =
      wait_draws(queue, one_node_job(10, 60), shares_of(1), {.draws = 2, .planned = 1}, 1);
  EXPECT_EQ(waits, (std::vector<double>{never_s, never_s}));
}

TEST(QueuePart, KeepsWhatSharesNodesAndRenumbersThem) {
  const auto job_on = [](const std::vector<std::size_t>& nodes) {
    auto job = one_node_job(1, 60);
    job.nodes = nodes;
    job.partition = nodes;
    return job;
  };
  QueueModel queue;
  for (int i = 0; i < 6; ++i) {
    queue.nodes.push_back({.cpus = 10 + i, .memory_mib = 0, .gpus = 0});
  }
  queue.waiting = {job_on({2, 3}), job_on({3, 4}), job_on({0})};
  queue.running = {job_on({4}), job_on({1})};
  queue.running[1].elapsed_s = 20;
  queue.arrivals = {job_on({3}), job_on({5})};
  queue.arrivals_per_s = 4;
  const auto part = part_of_queue(queue, job_on({2}));
  ASSERT_EQ(part.model.nodes.size(), 3U);
  EXPECT_EQ(part.model.nodes[0].cpus, 12);
  EXPECT_EQ(part.job.nodes, std::vector<std::size_t>{0});
  ASSERT_EQ(part.model.waiting.size(), 2U);
  EXPECT_EQ(part.model.waiting[1].nodes, (std::vector<std::size_t>{1, 2}));
  ASSERT_EQ(part.model.running.size(), 1U);
  EXPECT_EQ(part.model.running[0].nodes, std::vector<std::size_t>{2});
  ASSERT_EQ(part.model.elsewhere.size(), 1U);
  EXPECT_EQ(part.model.elsewhere[0].elapsed_s, 20);
  EXPECT_EQ(part.model.arrivals.size(), 1U);
  EXPECT_EQ(part.model.arrivals_per_s, 2);
}

TEST(UseShares, PrefersTheUsersOwnJobsWithTheSameLimit) {
  std::vector<PastUse> past(50, {"other", 100, 90});
  past.insert(past.end(), 5, {"u", 100, 10});
  past.insert(past.end(), 5, {"u", 200, 40});
  const UseShares shares(past);
  Random random(1);
  EXPECT_EQ(RunTimes(shares, random).next_s({"u", 100}, 0), 10);
  EXPECT_EQ(RunTimes(shares, random).next_s({"u", 200}, 0), 40);
  EXPECT_EQ(RunTimes(shares, random).next_s({"other", 100}, 0), 90);
  EXPECT_EQ(RunTimes(shares, random).next_s({"u", 100}, 95), 100)
      << "longer than all before: up to its limit";
}

TEST(UseShares, PrefersJobsWithTheSameRequest) {
  std::vector<PastUse> past(50, {"u", 100, 90, "one 1 8"});
  past.insert(past.end(), 5, {"u", 100, 10, "two 1 4"});
  past.insert(past.end(), 4, {"u", 100, 20, "two 1 8"});
  past.insert(past.end(), 5, {"other", 100, 40, "two 1 8"});
  const UseShares shares(past);
  Random random(1);
  EXPECT_EQ(RunTimes(shares, random).next_s({"u", 100, 0, "two 1 4"}, 0), 10);
  EXPECT_EQ(RunTimes(shares, random).next_s({"u", 100, 0, "one 1 8"}, 0), 90);
  EXPECT_EQ(RunTimes(shares, random).next_s({"u", 100, 0, "two 1 8"}, 50), 90)
      << "too few: all of the user";
  EXPECT_EQ(RunTimes(shares, random).next_s({"other", 100, 0, "two 1 8"}, 0), 40);
}

TEST(UseShares, PrefersJobsOfTheSameKind) {
  std::vector<PastUse> past(50, {"u", 100, 90, "one 1 8", "train-"});
  past.insert(past.end(), 5, {"u", 100, 10, "one 1 8", "test"});
  past.insert(past.end(), 4, {"u", 100, 20, "one 1 8", "rare"});
  const UseShares shares(past);
  Random random(1);
  EXPECT_EQ(RunTimes(shares, random).next_s({"u", 100, 0, "one 1 8", "test"}, 0), 10);
  EXPECT_EQ(RunTimes(shares, random).next_s({"u", 100, 0, "one 1 8", "train-"}, 0), 90);
  EXPECT_EQ(RunTimes(shares, random).next_s({"u", 100, 0, "one 1 8", "rare"}, 30), 90) << "too few";
}

TEST(UseShares, JobsOfOneDrawAreLongerOrShorterTogetherIfFewAreKnown) {
  const auto deviation_s = [](std::size_t known) {
    std::vector<PastUse> past;
    for (std::size_t i = 0; i < known; ++i) {
      past.push_back({"u", 100, i % 2 == 0 ? 20.0 : 40.0});
    }
    const UseShares shares(past);
    Random random(1);
    double squares = 0;
    constexpr int draws = 2000;
    constexpr int jobs = 50;
    for (int i = 0; i < draws; ++i) {
      RunTimes times(shares, random);
      double sum_s = 0;
      for (int job = 0; job < jobs; ++job) {
        sum_s += times.next_s({"u", 100}, 0);
      }
      squares += (sum_s / jobs - 30) * (sum_s / jobs - 30);
    }
    return std::sqrt(squares / draws);
  };
  // Of single jobs 10 s; of the mean of 50 jobs 10/sqrt(50) if their shares were known exactly. The
  // mean of a kind of which n are known is uncertain by 10/sqrt(n + 1).
  EXPECT_NEAR(deviation_s(10), 10 * std::sqrt(1.0 / 50 + 1.0 / 11), 0.3);
  EXPECT_NEAR(deviation_s(400), 10 * std::sqrt(1.0 / 50 + 1.0 / 401), 0.1);
}

TEST(UseShares, TakesAnyShareWithoutPastJobs) {
  const UseShares shares;
  Random random(1);
  double sum_s = 0;
  for (int i = 0; i < 1000; ++i) {
    const double run_s = RunTimes(shares, random).next_s({"u", 100}, 40);
    EXPECT_GE(run_s, 40);
    EXPECT_LE(run_s, 100);
    sum_s += run_s;
  }
  EXPECT_NEAR(sum_s / 1000, 70, 3 * 60 / std::sqrt(12 * 1000));
}

}  // namespace
}  // namespace epochcast::queue
