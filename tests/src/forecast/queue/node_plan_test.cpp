// What is free later, as far as it is planned; and planned starts as Slurm's backfill makes them.
#include "src/forecast/queue/node_plan.hpp"

#include <gtest/gtest.h>

#include "src/forecast/queue/backfill_plan.hpp"

namespace epochcast::queue {
namespace {

constexpr Resources four_cpus{.cpus = 4, .memory_mib = 100, .gpus = 1};
const std::vector<std::size_t> both{0, 1};

Resources cpus_only(std::int64_t cpus) {
  return {.cpus = cpus, .memory_mib = 0, .gpus = 0};
}

TEST(NodePlan, FindsTheEarliestTimeAtWhichAllNodesAreFree) {
  NodePlan plan({four_cpus, four_cpus}, 0);
  plan.take({0}, cpus_only(4), 0, 100);
  plan.take({1}, cpus_only(3), 0, 50);
  EXPECT_EQ(plan.earliest(both, 1, cpus_only(1), 10)->start_s, 0);
  EXPECT_EQ(plan.earliest(both, 1, cpus_only(2), 10)->start_s, 50);
  EXPECT_EQ(plan.earliest(both, 2, cpus_only(1), 10)->start_s, 100);
  EXPECT_FALSE(plan.earliest(both, 1, cpus_only(5), 10));
}

TEST(NodePlan, FitsAJobIntoAGapOnlyIfItEndsBeforeThePlannedStart) {
  NodePlan plan({four_cpus}, 0);
  plan.take({0}, cpus_only(4), 30, 60);
  EXPECT_EQ(plan.earliest({0}, 1, cpus_only(4), 30)->start_s, 0);
  EXPECT_EQ(plan.earliest({0}, 1, cpus_only(4), 31)->start_s, 60);
  EXPECT_EQ(plan.earliest({0}, 1, cpus_only(4), never_s)->start_s, 60);
}

TEST(NodePlan, NeverFreesWhatAJobWithoutALimitHolds) {
  NodePlan plan({four_cpus}, 0);
  plan.take({0}, cpus_only(3), 0, never_s);
  EXPECT_FALSE(plan.earliest({0}, 1, cpus_only(2), 1));
  EXPECT_EQ(plan.earliest({0}, 1, cpus_only(1), never_s)->start_s, 0);
}

TEST(NodePlan, CountsMemoryAndGpusAsWell) {
  NodePlan plan({four_cpus}, 0);
  plan.take({0}, {.cpus = 1, .memory_mib = 90, .gpus = 1}, 0, 20);
  EXPECT_EQ(plan.earliest({0}, 1, {.cpus = 1, .memory_mib = 11, .gpus = 0}, 1)->start_s, 20);
  EXPECT_EQ(plan.earliest({0}, 1, {.cpus = 1, .memory_mib = 10, .gpus = 1}, 1)->start_s, 20);
  EXPECT_EQ(plan.earliest({0}, 1, {.cpus = 1, .memory_mib = 10, .gpus = 0}, 1)->start_s, 0);
}

const std::vector<std::size_t> only_node{0};

QueueModel model_of(std::int64_t cpus) {
  return {.nodes = {{.cpus = cpus, .memory_mib = 0, .gpus = 0}}, .running = {}, .waiting = {}};
}

ModelJob planned_job(std::int64_t cpus, double limit_s) {
  return {.user = "u",
          .nodes = {0},
          .partition = {0},
          .count = 1,
          .each = {.cpus = cpus, .memory_mib = 0, .gpus = 0},
          .limit_s = limit_s};
}

/// A node of 10 CPUs that is full: 4 CPUs until 70 s, 4 until 115 s, 2 until 300 s.
BackfillPlan full_plan(const QueueModel& model, const std::vector<double>& elsewhere_s = {}) {
  BackfillPlan plan(model, 0, elsewhere_s);
  plan.run(only_node, {.cpus = 4, .memory_mib = 0, .gpus = 0}, 70);
  plan.run(only_node, {.cpus = 4, .memory_mib = 0, .gpus = 0}, 115);
  plan.run(only_node, {.cpus = 2, .memory_mib = 0, .gpus = 0}, 300);
  return plan;
}

TEST(BackfillPlan, PlansAStartAtTheLastEndOfItsGroup) {
  // The first group: from 70 s, whose window of the clock ends at 90 s, to 30 s later.
  const auto model = model_of(10);
  EXPECT_EQ(full_plan(model).start_of(planned_job(4, 60))->start_s, 115);
  EXPECT_EQ(full_plan(model).start_of(planned_job(10, 60))->start_s, 300);
  EXPECT_FALSE(full_plan(model).start_of(planned_job(11, 60)));
  auto later = model;
  later.clock_s = 20;  // 70 s are then 90 s of the clock, whose window ends at 100 s
  EXPECT_EQ(full_plan(later).start_of(planned_job(4, 60))->start_s, 115);
  later.clock_s = 45;  // the window ends at 75 s
  EXPECT_EQ(full_plan(later).start_of(planned_job(4, 60))->start_s, 70);
}

TEST(BackfillPlan, ContinuesAGroupWhileJobsOnOtherNodesEndInIt) {
  const auto model = model_of(10);
  EXPECT_EQ(full_plan(model, {118}).start_of(planned_job(4, 60))->start_s, 300);
  EXPECT_EQ(full_plan(model, {121}).start_of(planned_job(4, 60))->start_s, 115);
}

TEST(BackfillPlan, EachFurtherGroupIsTwiceAsLong) {
  // Ends at 10, 100, 140 and 160 s: groups until 60, 90 (empty), 150 and 270 s.
  const auto model = model_of(4);
  BackfillPlan plan(model, 0, {});
  for (const double end_s : {10, 100, 140, 160}) {
    plan.run(only_node, {.cpus = 1, .memory_mib = 0, .gpus = 0}, end_s);
  }
  EXPECT_EQ(plan.start_of(planned_job(1, 60))->start_s, 10);
  EXPECT_EQ(plan.start_of(planned_job(2, 60))->start_s, 140);
  EXPECT_EQ(plan.start_of(planned_job(4, 60))->start_s, 160);
}

TEST(BackfillPlan, APlannedStartKeepsItsNodesWhole) {
  const auto model = model_of(10);
  BackfillPlan plan(model, 1000, {});
  plan.run(only_node, {.cpus = 8, .memory_mib = 0, .gpus = 0}, 1100);
  const auto planned = plan.start_of(planned_job(4, 60));
  EXPECT_EQ(planned->start_s, 1100);
  plan.reserve(*planned, 60);
  EXPECT_EQ(plan.gap_s(planned_job(2, 60)), 100);
  EXPECT_EQ(plan.nodes_now(planned_job(2, 100)), only_node);
  EXPECT_TRUE(plan.nodes_now(planned_job(2, 101)).empty());
  EXPECT_EQ(plan.start_of(planned_job(2, 101))->start_s, 1160) << "behind it, though there is room";
}

TEST(BackfillPlan, TellsTheGapThatIsLeftNow) {
  auto model = model_of(4);
  model.nodes.push_back(model.nodes[0]);
  BackfillPlan plan(model, 0, {});
  const auto gap_s = [&](std::size_t count, std::int64_t cpus) {
    auto job = planned_job(cpus, 60);
    job.nodes = both;
    job.count = count;
    return plan.gap_s(job);
  };
  EXPECT_EQ(gap_s(2, 4), never_s);
  plan.reserve({.start_s = 40, .nodes = {0}}, 10);
  EXPECT_EQ(gap_s(1, 4), never_s);
  EXPECT_EQ(gap_s(2, 4), 40);
  plan.run({1}, cpus_only(1), 10);
  EXPECT_EQ(gap_s(2, 4), 0);
  EXPECT_EQ(gap_s(3, 1), 0);
}

TEST(BackfillPlan, UsesNodesThatAreNotKept) {
  auto model = model_of(4);
  model.nodes.push_back(model.nodes[0]);
  BackfillPlan plan(model, 0, {});
  plan.run({0, 1}, {.cpus = 4, .memory_mib = 0, .gpus = 0}, 100);
  auto job = planned_job(4, 60);
  job.nodes = {0, 1};
  for (const double start_s : {100, 100, 160}) {
    const auto planned = plan.start_of(job);
    ASSERT_TRUE(planned);
    EXPECT_EQ(planned->start_s, start_s);
    plan.reserve(*planned, 60);
  }
}

TEST(BackfillPlan, LooksNoFurtherThanPlannedStartsThatFollowEachOther) {
  const auto model = model_of(4);
  BackfillPlan plan(model, 0, {});
  plan.run(only_node, {.cpus = 4, .memory_mib = 0, .gpus = 0}, 50);
  for (const double start_s : {50, 150}) {
    plan.reserve({.start_s = start_s, .nodes = only_node}, 100);
  }
  EXPECT_FALSE(plan.start_of(planned_job(1, 60))) << "would end among them";
  EXPECT_EQ(plan.start_of(planned_job(1, 200))->start_s, 250);
}

}  // namespace
}  // namespace epochcast::queue
