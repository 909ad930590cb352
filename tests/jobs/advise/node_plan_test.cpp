// What is free later, as far as it is planned.
#include "jobs/advise/node_plan.hpp"

#include <gtest/gtest.h>

namespace epochcast::jobs {
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

TEST(NodePlan, TellsTheGapThatIsLeftNow) {
  NodePlan plan({four_cpus, four_cpus}, 0);
  EXPECT_EQ(plan.gap_s(both, 2, cpus_only(4)), never_s);
  plan.take({0}, cpus_only(4), 40, 50);
  EXPECT_EQ(plan.gap_s(both, 1, cpus_only(4)), never_s);
  EXPECT_EQ(plan.gap_s(both, 2, cpus_only(4)), 40);
  plan.take({1}, cpus_only(1), 0, 10);
  EXPECT_EQ(plan.gap_s(both, 2, cpus_only(4)), 0);
  EXPECT_EQ(plan.gap_s(both, 3, cpus_only(1)), 0);
}

}  // namespace
}  // namespace epochcast::jobs
