// From Slurm's answers and the accounting to the model of the queue, now and at earlier times.
#include "src/forecast/queue/queue_now.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/forecast/queue/past_queue.hpp"
#include "src/forecast/queue/past_waits.hpp"
#include "src/slurm/accounting_cells.hpp"

namespace epochcast::queue {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

slurm::NodeState made_node(const std::string& name, std::int64_t held = 0) {
  slurm::NodeState node;
  node.name = name;
  node.cpus = 32;
  node.memory_mib = 1000;
  node.gpus = 4;
  node.gpu = "t4";
  node.partitions = {"teaching"};
  node.features = {"turing"};
  node.cpus_held = held;
  return node;
}

slurm::QueuedJob queued_job(const std::string& id, slurm::JobState state, std::int64_t cpus) {
  slurm::QueuedJob job;
  job.id = id;
  job.state = state;
  job.user = "u";
  job.partitions = {"teaching"};
  job.cpus = cpus;
  job.limit_s = 600;
  return job;
}

class QueueNowTest : public testing::Test {
 protected:
  QueueNowTest() {
    state_.answered = true;
    state_.nodes = {made_node("a"), made_node("b")};
    partitions_ = {slurm::Partition{.name = "teaching", .is_default = true, .kinds = {}}};
  }
  QueueNow build() const { return queue_now(state_, partitions_); }

  slurm::ClusterState state_;
  std::vector<slurm::Partition> partitions_;
};

TEST_F(QueueNowTest, PlacesRunningJobsAndOrdersWaitingOnes) {
  auto running = queued_job("1", slurm::JobState::running, 16);
  running.node_names = {"a", "b"};
  running.nodes = 2;
  auto late = queued_job("10", slurm::JobState::pending, 4);
  auto early = queued_job("9", slurm::JobState::pending, 5);
  auto urgent = queued_job("11", slurm::JobState::pending, 6);
  urgent.priority = 5;
  auto held = queued_job("12", slurm::JobState::pending, 6);
  held.reason = "JobHeldUser";
  auto huge = queued_job("13", slurm::JobState::pending, 64);
  state_.jobs = {running, late, early, urgent, held, huge};
  state_.nodes = {made_node("a", 8), made_node("b", 8)};
  const auto queue = build();
  ASSERT_THAT(queue.model.running, SizeIs(1));
  EXPECT_THAT(queue.model.running[0].nodes, ElementsAre(0, 1));
  EXPECT_EQ(queue.model.running[0].each.cpus, 8);
  ASSERT_THAT(queue.model.waiting, SizeIs(3));
  EXPECT_EQ(queue.model.waiting[0].each.cpus, 6);
  EXPECT_EQ(queue.model.waiting[1].each.cpus, 5);
  EXPECT_EQ(queue.model.waiting[2].each.cpus, 4);
  EXPECT_THAT(queue.notes,
              ElementsAre(HasSubstr("JobHeldUser"), HasSubstr("no known node can hold")));
}

TEST_F(QueueNowTest, AHeldOrSuspendedJobHoldsNothing) {
  auto requeued = queued_job("1", slurm::JobState::requeue_hold, 16);
  requeued.limit_s = HUGE_VAL;
  auto suspended = queued_job("2", slurm::JobState::suspended, 8);
  suspended.node_names = {"a"};
  auto stopped = queued_job("3", slurm::JobState::stopped, 4);
  stopped.node_names = {"b"};
  state_.jobs = {requeued, suspended, stopped};
  const auto queue = build();
  ASSERT_THAT(queue.model.running, SizeIs(1));
  EXPECT_THAT(queue.model.running[0].nodes, ElementsAre(1));
  EXPECT_THAT(queue.model.waiting, SizeIs(0));
  EXPECT_THAT(queue.notes, ElementsAre(HasSubstr("1 waiting job with the reason REQUEUE_HOLD")));
}

TEST_F(QueueNowTest, KeepsWhatUnseenJobsHold) {
  state_.nodes = {made_node("a", 20), made_node("b")};
  const auto queue = build();
  EXPECT_EQ(queue.model.nodes[0].cpus, 12);
  EXPECT_EQ(queue.model.nodes[1].cpus, 32);
  EXPECT_THAT(queue.notes, ElementsAre(HasSubstr("20 CPUs are held by jobs that you may not see")));
}

TEST_F(QueueNowTest, FindsTheNodesThatCanHoldARequest) {
  auto old = made_node("c");
  old.gpu = "v100";
  old.features = {};
  state_.nodes.push_back(old);
  const auto queue = build();
  ModelRequest request{.partitions = {"teaching"}, .total = {8, 100, 1}};
  EXPECT_THAT(model_job(queue, request)->nodes, ElementsAre(0, 1, 2));
  request.gpu = "t4";
  EXPECT_THAT(model_job(queue, request)->nodes, ElementsAre(0, 1));
  request.gpu = "";
  request.features = "turing";
  EXPECT_THAT(model_job(queue, request)->nodes, ElementsAre(0, 1));
  request.nodes = 3;
  EXPECT_FALSE(model_job(queue, request));
  request = {.partitions = {"teaching"}, .total = {1, 1001, 0}};
  EXPECT_FALSE(model_job(queue, request)) << "no node has the memory";
  request = {.partitions = {"teaching"}, .total = {1, 1, 0}, .exclusive = true};
  EXPECT_EQ(model_job(queue, request)->each.cpus, 32);
  request.partitions = {"other"};
  EXPECT_FALSE(model_job(queue, request));
}

TEST_F(QueueNowTest, IgnoresMemoryWhereTheSiteDoes) {
  state_.counts_memory = false;
  EXPECT_TRUE(model_job(build(), {.partitions = {"teaching"}, .total = {1, 100'000'000, 0}}));
}

/// A job of the accounting that waited from `eligible` to `start` (seconds of this day).
slurm::AccountedJob accounted(int eligible, int start, int end, std::int64_t cpus) {
  const auto stamp = [](int second) {
    return fmt::format("2026-11-25T{:02}:{:02}:{:02}", second / 3600, second / 60 % 60,
                       second % 60);
  };
  slurm::AccountedJob job;
  job.user = "u";
  job.partition = "teaching";
  job.nodes = 1;
  job.cpus = cpus;
  job.node_list = "a";
  job.submitted_at = stamp(eligible);
  job.eligible_at = stamp(eligible);
  job.started_at = stamp(start);
  job.ended_at = stamp(end);
  job.limit_s = 600;
  job.state = slurm::JobState::completed;
  return job;
}

double stamp_s(int second) {
  return *slurm::parse_stamp_s("2026-11-25T00:00:00") + second;
}

TEST_F(QueueNowTest, RebuildsTheQueueOfAnEarlierTime) {
  const auto queue = build();
  auto cancelled = accounted(100, 100, 300, 7);  // while it waited
  cancelled.node_list = "None assigned";
  const auto jobs = past_jobs_of(
      queue, {accounted(0, 0, 200, 32), accounted(50, 200, 400, 8), cancelled}, {}, stamp_s(1000));
  ASSERT_THAT(jobs, SizeIs(3));
  const auto model = queue_at(queue, jobs, stamp_s(150), nullptr);
  ASSERT_THAT(model.running, SizeIs(1));
  EXPECT_EQ(model.running[0].elapsed_s, 150);
  EXPECT_THAT(model.running[0].nodes, ElementsAre(0));
  ASSERT_THAT(model.waiting, SizeIs(2));
  EXPECT_EQ(model.waiting[0].each.cpus, 8);
  EXPECT_THAT(model.waiting[0].nodes, ElementsAre(0, 1)) << "it might have run anywhere";
  EXPECT_EQ(model.waiting[1].each.cpus, 7);
  EXPECT_THAT(queue_at(queue, jobs, stamp_s(150), &jobs[1]).waiting, SizeIs(1));
}

TEST_F(QueueNowTest, KnowsThatJobsOfNowAndOfThePastAreOfOneKind) {
  auto running = queued_job("1", slurm::JobState::running, 8);
  running.node_names = {"a"};
  running.name = "train-1";
  auto waiting = queued_job("2", slurm::JobState::pending, 8);
  waiting.name = "train-22";
  state_.jobs = {running, waiting};
  const auto queue = build();
  auto past = accounted(0, 0, 200, 8);
  past.job_name = "train-3";
  const auto uses = uses_until(past_jobs_of(queue, {past}, {}, stamp_s(1000)), stamp_s(1000));
  ASSERT_THAT(uses, SizeIs(1));
  for (const auto& jobs : {queue.model.running, queue.model.waiting}) {
    ASSERT_THAT(jobs, SizeIs(1));
    EXPECT_EQ(jobs[0].kind, "train-");
    EXPECT_EQ(jobs[0].kind, uses[0].kind);
    EXPECT_EQ(jobs[0].request, uses[0].request);
  }
  waiting.cpus = 4;
  EXPECT_NE(model_job(queue, request_of(waiting))->request, uses[0].request);
}

TEST_F(QueueNowTest, LearnsUsesOnlyFromJobsThatHadEnded) {
  const auto queue = build();
  const auto jobs = past_jobs_of(queue, {accounted(0, 0, 200, 32), accounted(50, 200, 400, 8)}, {},
                                 stamp_s(1000));
  EXPECT_THAT(uses_until(jobs, stamp_s(199)), IsEmpty());
  EXPECT_THAT(uses_until(jobs, stamp_s(399)), SizeIs(1));
  EXPECT_EQ(uses_until(jobs, stamp_s(400)).at(1).used_s, 200);
}

TEST_F(QueueNowTest, ForecastsPastWaitsFromWhatWasKnownThen) {
  // Each job takes a whole node for 300 of its 600 s; the third of each round waits for the first.
  std::vector<slurm::AccountedJob> past;
  for (int round = 0; round < 30; ++round) {
    const int begin = 1000 * round;
    past.push_back(accounted(begin, begin, begin + 300, 32));
    past.push_back(accounted(begin, begin, begin + 300, 32));
    past.back().node_list = "b";
    past.push_back(accounted(begin + 100, begin + 300, begin + 600, 32));
  }
  const auto queue = build();
  const auto jobs = past_jobs_of(queue, past, {}, stamp_s(40000));
  const auto waits = model_on_past_waits(queue, jobs, {"teaching"});
  ASSERT_THAT(waits, SizeIs(90));
  const auto error = measured_error(waits, 30);
  EXPECT_EQ(error.n, 90U);
  EXPECT_GE(error.inside, 80U) << "the shares are known after two rounds";
  EXPECT_EQ(waits.back().actual_s, 200);
  EXPECT_EQ(waits.back().forecast_s.value, 200);

  auto asked = jobs.back();
  asked.eligible_s = stamp_s(40000);
  const PastWaits past_waits(jobs, asked);
  const auto last = past_waits.batches().size() - 1;
  EXPECT_EQ(past_waits.forecast_s(last)->interval_80.high, 200);
  EXPECT_FALSE(past_waits.forecast_s(0));
}

TEST_F(QueueNowTest, JobsOfAUserThatAskForTheSameWithinAnHourAreABatch) {
  const auto queue = build();
  auto other = accounted(20, 30, 60, 8);
  other.user = "another";
  const auto jobs = past_jobs_of(queue,
                                 {accounted(0, 10, 60, 8), accounted(10, 20, 60, 8), other,
                                  accounted(20, 30, 60, 4), accounted(9000, 9010, 9060, 8)},
                                 {}, stamp_s(20000));
  EXPECT_THAT(PastWaits(jobs).batches(),
              ElementsAre(ElementsAre(0, 1), ElementsAre(2), ElementsAre(3), ElementsAre(4)));
}

TEST_F(QueueNowTest, TheUsersOwnWaitsComeFirst) {
  std::vector<slurm::AccountedJob> past;
  for (int i = 0; i < 30; ++i) {
    past.push_back(accounted(4000 * i, 4000 * i + (i % 3 == 0 ? 2000 : 10), 4000 * i + 3000, 8));
    past.back().user = i % 3 == 0 ? "slow" : "fast";
  }
  const auto queue = build();
  const auto jobs = past_jobs_of(queue, past, {}, stamp_s(200000));
  for (const auto& user : {"slow", "fast"}) {
    auto asked = jobs.back();
    asked.job.user = user;
    asked.eligible_s = stamp_s(130000);
    const PastWaits waits(jobs, asked);
    EXPECT_EQ(waits.forecast_s(30)->value, asked.job.user == "slow" ? 2000 : 10);
  }
}

}  // namespace
}  // namespace epochcast::queue
