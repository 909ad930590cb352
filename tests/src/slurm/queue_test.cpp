#include "src/slurm/queue.hpp"

#include <gtest/gtest.h>

#include "src/slurm/site.hpp"

namespace epochcast::slurm {
namespace {

TEST(Queue, ReadsArraysPendingReasonsAndCommentsWithTheSeparator) {
  const auto jobs = parse_queue(
      "7|7_1|PENDING|0:00|JobArrayTaskLimit|name|epochcast-1\n"
      "8|7_0|RUNNING|1-02:03:04|None|name|a|b\n"
      "9|9|CANCELLED by 1000|0:01|None|name|(null)\n");
  ASSERT_EQ(jobs.size(), 3U);
  EXPECT_EQ(jobs[0].name, "7_1");
  EXPECT_EQ(jobs[0].reason, "JobArrayTaskLimit");
  EXPECT_EQ(jobs[1].id, "8");
  EXPECT_EQ(jobs[1].elapsed_s, 93784);
  EXPECT_EQ(jobs[1].comment, "a|b");
  EXPECT_EQ(jobs[1].reason, "");
  EXPECT_EQ(jobs[2].state, "CANCELLED");
  EXPECT_EQ(jobs[2].comment, "");
}

TEST(Queue, ReadsAccountingWithItsCutStates) {
  const auto jobs = parse_accounting(
      "12|12_3|CANCELLED+|65|0:15|1795253887|dcgan.t4|tok\n13|13|TIMEOUT|0|0:0|Unknown||\n");
  ASSERT_EQ(jobs.size(), 2U);
  EXPECT_EQ(jobs[0].state, "CANCELLED");
  EXPECT_EQ(jobs[0].exit_code, "0:15");
  EXPECT_EQ(jobs[0].submitted_at_s, 1795253887);
  EXPECT_EQ(jobs[1].submitted_at_s, 0);
}

TEST(Queue, KnowsWhichStatesMayStillRun) {
  for (const auto* state : {"PENDING", "RUNNING", "COMPLETING", "REQUEUED", "SUSPENDED"}) {
    EXPECT_TRUE(is_live(state)) << state;
  }
  for (const auto* state : {"COMPLETED", "FAILED", "TIMEOUT", "CANCELLED", "NODE_FAIL", "PREEMPTED",
                            "OUT_OF_MEMORY", "BOOT_FAIL"}) {
    EXPECT_FALSE(is_live(state)) << state;
  }
}

TEST(Queue, ReadsEveryFormOfATime) {
  EXPECT_EQ(parse_slurm_time("0:05"), 5);
  EXPECT_EQ(parse_slurm_time("2:00"), 120);
  EXPECT_EQ(parse_slurm_time("1:00:00"), 3600);
  EXPECT_EQ(parse_slurm_time("7-00:00:00"), 604800);
  EXPECT_LT(parse_slurm_time("infinite"), 0);
  EXPECT_LT(parse_slurm_time("UNLIMITED"), 0);
  EXPECT_EQ(parse_slurm_time("INVALID"), 0);
}

TEST(Site, ReadsGpusInEveryFormOfTheSite) {
  EXPECT_EQ(parse_gres("gpu:t4:4"), (std::vector<GpuKind>{{"t4", 4}}));
  EXPECT_EQ(parse_gres("gpu:8"), (std::vector<GpuKind>{{"", 8}}));
  EXPECT_EQ(parse_gres("gpu:Tesla_T4:2(S:0-1),shard:t4:8,gpu:a100:1"),
            (std::vector<GpuKind>{{"Tesla_T4", 2}, {"a100", 1}}));
  EXPECT_TRUE(parse_gres("(null)").empty());
}

TEST(Site, KindsOfNodesOfOnePartitionAreKeptApart) {
  const auto partitions = parse_site(
      "a*|1-00:00:00|32|192000|gpu:t4:4|3|2|t4,turing\na*|1-00:00:00|64|256000+|(null)|2|1|(null)"
      "\nb|infinite|8|1000|(null)|1|1|(null)\n");
  ASSERT_EQ(partitions.size(), 2U);
  EXPECT_TRUE(partitions[0].is_default);
  EXPECT_EQ(partitions[0].max_time_s, 86400);
  ASSERT_EQ(partitions[0].kinds.size(), 2U);
  EXPECT_EQ(partitions[0].kinds[1].memory_mib, 256000);
  EXPECT_LT(partitions[1].max_time_s, 0);
}

}  // namespace
}  // namespace epochcast::slurm
