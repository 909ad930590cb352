// Nodes and jobs as Slurm 22.05.8 printed them on the test cluster; blanks of the columns of squeue
// are shortened.
#include "src/slurm/cluster_state.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace epochcast::slurm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* two_nodes =
    "NodeName=t4-03 Arch=x86_64 CoresPerSocket=16  CPUAlloc=16 CPUEfctv=30 CPUTot=32 CPULoad=2.33 "
    "AvailableFeatures=t4,turing ActiveFeatures=t4,turing Gres=gpu:t4:4 NodeAddr=127.0.1.3 "
    "OS=Linux 6.18.44 #1 SMP  RealMemory=192000 AllocMem=8192 FreeMem=15703 State=MIXED "
    "Partitions=teaching,quick  CfgTRES=cpu=32,mem=187.50G,gres/gpu=4 "
    "AllocTRES=cpu=16,mem=8G,gres/gpu=2 CapWatts=n/a Reason=State=IDLE is a lie [root@now]\n"
    "NodeName=dgx-01 CPUAlloc=0 CPUTot=80 ActiveFeatures=(null) Gres=(null) RealMemory=512000 "
    "AllocMem=0 State=IDLE+DRAIN Partitions=dgx AllocTRES= Reason=fan\n";

TEST(ClusterState, ReadsNodesAndWhatTheyHold) {
  const auto nodes = parse_nodes(two_nodes);
  ASSERT_THAT(nodes, SizeIs(2));
  EXPECT_EQ(nodes[0].name, "t4-03");
  EXPECT_EQ(nodes[0].cpus, 30) << "without those kept for the system";
  EXPECT_EQ(nodes[0].cpus_held, 16);
  EXPECT_EQ(nodes[0].memory_mib, 192000);
  EXPECT_EQ(nodes[0].gpus, 4);
  EXPECT_EQ(nodes[0].gpu, "t4");
  EXPECT_EQ(nodes[0].gpus_held, 2);
  EXPECT_THAT(nodes[0].partitions, ElementsAre("teaching", "quick"));
  EXPECT_THAT(nodes[0].features, ElementsAre("t4", "turing"));
  EXPECT_TRUE(nodes[0].runs_jobs);
  EXPECT_EQ(nodes[1].cpus, 80);
  EXPECT_FALSE(nodes[1].runs_jobs);
  EXPECT_THAT(nodes[1].features, IsEmpty());
}

TEST(ClusterState, ReadsRunningAndWaitingJobs) {
  std::vector<std::string> problems;
  const auto jobs = parse_queued_jobs(
      "29  |RUNNING |alice |dgx |1 |1 |cpu=1,mem=1G,node=1,gres/gpu=2,gres/gpu:v100=2 |10:00 |0:02 "
      "|1000 |OK |(null) |dgx-01 |2026-11-25T10:00:27 |None |train|x \n"
      "30  |PENDING |bob |dgx,teaching |2 |8 |cpu=8,mem=2G,node=2,gres/gpu=6 |UNLIMITED |0:00 |900 "
      "|NO |v100&dgx | |2026-11-25T10:00:27 |Resources |y \n"
      "31|RUNNING|carol\n"
      "32  |PENDING |bob |dgx |1 |8 |cpu=8 |never |0:00 |1 |OK |(null) | |N/A |Priority |z \n",
      problems);
  ASSERT_THAT(jobs, SizeIs(2));
  EXPECT_EQ(jobs[0].state, JobState::running);
  EXPECT_EQ(jobs[0].user, "alice");
  EXPECT_EQ(jobs[0].memory_mib, 1024);
  EXPECT_EQ(jobs[0].gpus, 2);
  EXPECT_EQ(jobs[0].gpu, "v100");
  EXPECT_EQ(jobs[0].limit_s, 600);
  EXPECT_EQ(jobs[0].elapsed_s, 2);
  EXPECT_THAT(jobs[0].node_names, ElementsAre("dgx-01"));
  EXPECT_FALSE(jobs[0].exclusive);
  EXPECT_EQ(jobs[0].name, "train") << "up to a |";
  EXPECT_FALSE(waits_for_room(jobs[0]));
  EXPECT_THAT(jobs[1].partitions, ElementsAre("dgx", "teaching"));
  EXPECT_EQ(jobs[1].nodes, 2);
  EXPECT_TRUE(std::isinf(jobs[1].limit_s));
  EXPECT_TRUE(jobs[1].exclusive);
  EXPECT_EQ(jobs[1].features, "v100&dgx");
  EXPECT_EQ(jobs[1].eligible_at, "2026-11-25T10:00:27");
  EXPECT_TRUE(waits_for_room(jobs[1]));
  EXPECT_THAT(problems, ElementsAre(HasSubstr("found 3 cells"), HasSubstr("job 32: TimeLimit: ")));
}

TEST(ClusterState, KnowsWhichJobsWaitForSomethingElse) {
  QueuedJob job;
  job.state = JobState::pending;
  for (const auto* reason : {"Dependency", "JobHeldUser", "BeginTime", "QOSMaxCpuPerUserLimit",
                             "AssocMaxJobsLimit", "PartitionTimeLimit"}) {
    job.reason = reason;
    EXPECT_FALSE(waits_for_room(job)) << reason;
  }
  for (const auto* reason : {"", "Priority", "Resources"}) {
    job.reason = reason;
    EXPECT_TRUE(waits_for_room(job)) << reason;
  }
}

TEST(ClusterState, ReadsTheConfigurationOfTheScheduler) {
  const std::string config =
      "SchedulerParameters     = sched_interval=5,bf_interval=7,batch_sched_delay=0\n"
      "SelectTypeParameters    = CR_CORE_MEMORY\n";
  EXPECT_EQ(parse_backfill_interval_s(config), 7);
  EXPECT_TRUE(parse_counts_memory(config));
  EXPECT_EQ(parse_backfill_interval_s("SchedulerParameters     = (null)\n"), 30);
  EXPECT_FALSE(parse_counts_memory("SelectTypeParameters    = CR_CPU\n"));
}

TEST(ClusterState, AsksForAsManyColumnsAsItReads) {
  const auto format = queued_job_format();
  EXPECT_EQ(std::ranges::count(format, '|'), 16);
  EXPECT_TRUE(format.starts_with("JobID:30|,State:30|,"));
}

}  // namespace
}  // namespace epochcast::slurm
