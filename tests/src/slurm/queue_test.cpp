#include "src/slurm/queue.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "src/slurm/site.hpp"
#include "src/slurm/time.hpp"

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
  EXPECT_EQ(jobs[2].state, JobState::cancelled);
  EXPECT_EQ(jobs[2].comment, "");
}

TEST(Queue, ReadsAccountingWithTruncatedStates) {
  const auto jobs = parse_accounting(
      "12|12_3|CANCELLED+|65|0:15|1795253887|dcgan.t4|tok\n13|13|TIMEOUT|0|0:0|Unknown||\n");
  ASSERT_EQ(jobs.size(), 2U);
  EXPECT_EQ(jobs[0].state, JobState::cancelled);
  EXPECT_EQ(jobs[0].exit_code, "0:15");
  EXPECT_EQ(jobs[0].submitted_at_s, 1795253887);
  EXPECT_EQ(jobs[1].submitted_at_s, 0);
}

TEST(Queue, ReadsJobsThatAFailureOfTheirNodesEnded) {
  const auto failures = parse_node_failures(
      "5|NODE_FAIL|1795253887|t4-[01-02]\n6|COMPLETED|1795253887|t4-03\n"
      "7|BOOT_FAIL|Unknown|None assigned\n");
  ASSERT_EQ(failures.size(), 2U);
  EXPECT_EQ(failures[0].job, "5");
  EXPECT_EQ(failures[0].started_at_s, 1795253887);
  EXPECT_EQ(failures[0].node_list, "t4-[01-02]");
  EXPECT_EQ(failures[1].node_list, "");
}

/// The states of squeue(1), and those that only sacct(1) or a later Slurm prints.
TEST(Queue, KnowsWhichJobsWaitHoldCpusOrHaveEnded) {
  const auto expect = [](const std::vector<std::string>& states, bool live, bool wait, bool hold) {
    for (const auto& text : states) {
      const auto state = parse_state(text);
      EXPECT_EQ(state == JobState::unknown, text == "A_NEW_STATE") << text;
      EXPECT_EQ(is_live(state), live) << text;
      EXPECT_EQ(waits(state), wait) << text;
      EXPECT_EQ(holds_cpus(state), hold) << text;
    }
  };
  expect({"PENDING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "RESV_DEL_HOLD", "SPECIAL_EXIT"},
         true, true, false);
  expect(
      {"RUNNING", "COMPLETING", "CONFIGURING", "RESIZING", "SIGNALING", "STOPPED", "A_NEW_STATE"},
      true, false, true);
  expect({"SUSPENDED", "STAGE_OUT"}, true, false, false);
  expect({"BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY",
          "PREEMPTED", "REVOKED", "TIMEOUT", "LAUNCH_FAILED", "RECONFIG_FAIL"},
         false, false, false);
}

TEST(Queue, ReadsEveryFormOfATime) {
  EXPECT_EQ(parse_time_s("0:05"), 5);
  EXPECT_EQ(parse_time_s("2:00"), 120);
  EXPECT_EQ(parse_time_s("1:00:00"), 3600);
  EXPECT_EQ(parse_time_s("7-00:00:00"), 604800);
  EXPECT_EQ(parse_time_s("30"), 1800) << "a single number is minutes";
  EXPECT_TRUE(std::isinf(parse_time_s("infinite").value()));
  EXPECT_TRUE(std::isinf(parse_time_s("UNLIMITED").value()));
  EXPECT_FALSE(parse_time_s("INVALID"));
}

TEST(Site, ReadsGpusInEveryFormOfTheSite) {
  EXPECT_EQ(parse_gres("gpu:t4:4"), (std::vector<GpuKind>{{"t4", 4}}));
  EXPECT_EQ(parse_gres("gpu:8"), (std::vector<GpuKind>{{"", 8}}));
  EXPECT_EQ(parse_gres("gpu:Tesla_T4:2(S:0-1),shard:t4:8,gpu:a100:1"),
            (std::vector<GpuKind>{{"Tesla_T4", 2}, {"a100", 1}}));
  EXPECT_TRUE(parse_gres("(null)").empty());
  // MIG slices, sockets with a comma, and GPUs that several jobs may share.
  EXPECT_EQ(parse_gres("gpu:nvidia_a100_1g.5gb:7(S:0,2),gpu:a100:2(S:1)"),
            (std::vector<GpuKind>{{"nvidia_a100_1g.5gb", 7}, {"a100", 2}}));
  EXPECT_EQ(parse_gres("gpu:rtx:no_consume:2,gpu:no_consume:1"),
            (std::vector<GpuKind>{{"rtx", 2}, {"", 1}}));
}

TEST(Site, ReadsCpuLimitsAndAccountsOfPartitions) {
  auto partitions =
      parse_site("a*|1:00:00|32|1000|(null)|1|1|(null)\nb|infinite|8|1000|(null)|1|1|(null)\n");
  add_partition_limits(
      "PartitionName=a\n   AllowGroups=ALL AllowAccounts=csc101,csc102 AllowQos=ALL\n"
      "   MaxNodes=1 MaxTime=01:00:00 MaxCPUsPerNode=4\n"
      "PartitionName=b\n   AllowAccounts=ALL DenyAccounts=csc102\n   MaxCPUsPerNode=UNLIMITED\n",
      partitions);
  EXPECT_EQ(partitions[0].max_cpus_per_node, 4);
  EXPECT_EQ(partitions[1].max_cpus_per_node, std::nullopt);
  EXPECT_TRUE(is_open_to(partitions[0], {"x", "csc102"}));
  EXPECT_FALSE(is_open_to(partitions[0], {"x"}));
  EXPECT_FALSE(is_open_to(partitions[1], {"csc102"}));
  EXPECT_TRUE(is_open_to(partitions[1], {})) << "accounts that are not known close nothing";
}

TEST(Site, ReadsLimitsOfMemoryNodesAndQosOfPartitions) {
  auto partitions =
      parse_site("a*|1:00:00|32|1000|(null)|1|1|(null)\nb|infinite|8|1000|(null)|1|1|(null)\n");
  add_partition_limits(
      "PartitionName=a\n   AllowGroups=ALL AllowAccounts=ALL AllowQos=normal,long\n"
      "   DefaultTime=NONE DisableRootJobs=NO ExclusiveUser=NO GraceTime=0 Hidden=YES\n"
      "   MaxNodes=2 MaxTime=01:00:00 MinNodes=2\n   State=DRAIN TotalCPUs=32\n"
      "   DefMemPerCPU=2000 MaxMemPerCPU=4000\n"
      "PartitionName=b\n   AllowQos=ALL\n   Hidden=NO\n   MaxNodes=UNLIMITED MinNodes=0\n"
      "   State=UP\n   DefMemPerCPU=2000 MaxMemPerNode=64000\n",
      partitions);
  EXPECT_EQ(partitions[0].max_memory_per_cpu_mib, 4000);
  EXPECT_EQ(partitions[0].max_nodes, 2);
  EXPECT_EQ(partitions[0].allow_qos, (std::vector<std::string>{"normal", "long"}));
  EXPECT_TRUE(partitions[0].is_hidden);
  EXPECT_EQ(partitions[0].min_nodes, 2);
  EXPECT_EQ(partitions[0].max_memory_per_node_mib, std::nullopt);
  EXPECT_EQ(partitions[0].state, "DRAIN");
  EXPECT_EQ(partitions[1].state, "UP");
  EXPECT_EQ(partitions[1].min_nodes, 0);
  EXPECT_EQ(partitions[1].max_memory_per_node_mib, 64000);
  EXPECT_EQ(partitions[1].max_memory_per_cpu_mib, std::nullopt);
  EXPECT_EQ(partitions[1].max_nodes, std::nullopt);
  EXPECT_TRUE(partitions[1].allow_qos.empty());
  EXPECT_FALSE(partitions[1].is_hidden);
}

TEST(Site, KnowsPartitionsInWhichNoJobOfTheUserCanStart) {
  auto partitions = parse_site(
      "open*|1:00:00|16|64000|(null)|4|1|(null)\nadmin|1:00:00|16|64000|(null)|4|1|(null)\n"
      "later|infinite|0|0|(null)|0|0|(null)\nlab|1:00:00|16|64000|(null)|4|1|(null)\n"
      "none|1:00:00|16|64000|(null)|4|1|(null)\nwide|1:00:00|16|64000|(null)|4|1|(null)\n"
      "off|1:00:00|16|64000|(null)|4|1|(null)\n");
  add_partition_limits(
      "PartitionName=open\n   AllowGroups=ALL RootOnly=NO ReqResv=NO State=UP\n"
      "PartitionName=admin\n   RootOnly=YES\nPartitionName=later\n   Nodes=(null)\n"
      "PartitionName=lab\n   AllowGroups=chem,bio\nPartitionName=none\n   MaxNodes=0\n"
      "PartitionName=wide\n   MinNodes=8\nPartitionName=off\n   State=INACTIVE\n",
      partitions);
  std::vector<std::string> reasons;
  for (const auto& partition : partitions) {
    reasons.push_back(why_closed(partition, {.groups = {"users", "physics"}}));
  }
  EXPECT_EQ(reasons,
            (std::vector<std::string>{"", "is for root only (RootOnly=YES)", "has no nodes",
                                      "is for the groups chem, bio only (AllowGroups)",
                                      "allows no nodes (MaxNodes=0)",
                                      "requires 8 nodes (MinNodes) and gives a job 4 at most",
                                      "starts no jobs now (State=INACTIVE)"}));
  EXPECT_EQ(why_closed(partitions[3], {.groups = {"bio"}}), "");
  EXPECT_EQ(why_closed(partitions[3], {}), "") << "the groups are not known";
  EXPECT_EQ(why_closed(partitions[1], {.groups = {}, .is_root = true}), "");
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
  EXPECT_TRUE(std::isinf(partitions[1].max_time_s));
}

}  // namespace
}  // namespace epochcast::slurm
