#include "src/slurm/job_info.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "src/base/core/error.hpp"
#include "src/slurm/job_environment.hpp"
#include "src/slurm/time.hpp"

namespace epochcast::slurm {
namespace {

/// As Slurm 22.05.8 prints it, but for lines nobody reads; the name and the comment are a user's,
/// out to deceive.
constexpr const char* exclusive_job = R"(JobId=1 JobName=evil Partition=x NumCPUs=999
   UserId=alice(61001) GroupId=alice(61001) MCS_label=N/A
   Priority=1 Nice=0 Account=csc101 QOS=(null)
   JobState=RUNNING Reason=None Dependency=(null)
   Requeue=1 Restarts=2 BatchFlag=1 Reboot=0 ExitCode=0:0
   RunTime=00:00:00 TimeLimit=02:00:00 TimeMin=N/A
   SubmitTime=2026-11-21T09:11:44+0100 EligibleTime=2026-11-21T09:11:44+0100
   StartTime=2026-11-21T09:11:50+0100 EndTime=2026-11-21T11:11:44+0100 Deadline=N/A
   Partition=teaching AllocNode:Sid=localhost:4672
   ReqNodeList=(null) ExcNodeList=(null)
   NodeList=t4-01
   BatchHost=t4-01
   NumNodes=1 NumCPUs=32 NumTasks=1 CPUs/Task=8 ReqB:S:C:T=0:0:*:*
   TRES=cpu=32,mem=32G,node=1,billing=32
   Socks/Node=* NtasksPerN:B:S:C=0:0:*:* CoreSpec=*
   JOB_GRES=gpu:t4:4
     Nodes=t4-01 CPU_IDs=0-31 Mem=32768 GRES=gpu:t4:4(IDX:0-3)
   MinCPUsNode=8 MinMemoryNode=32G MinTmpDiskNode=0
   Features=turing DelayBoot=00:00:00
   OverSubscribe=NO Contiguous=0 Licenses=(null) Network=(null)
   Command=/home/alice/a b.sh Partition=z
   Comment=hello NumNodes=9
   TresPerNode=gres:gpu:t4:2

)";

constexpr const char* array_jobs = R"(JobId=2 ArrayJobId=2 ArrayTaskId=4 JobName=a.sh
   RunTime=00:00:00 TimeLimit=1-00:10:00 TimeMin=N/A
   Partition=dgx AllocNode:Sid=localhost:4672
   NumNodes=2 NumCPUs=2 NumTasks=1 CPUs/Task=2 ReqB:S:C:T=0:0:*:1
   JOB_GRES=(null)
     Nodes=dgx-[01-02] CPU_IDs=2-3 Mem=4096 GRES=
   OverSubscribe=OK Contiguous=0 Licenses=(null) Network=(null)

JobId=3 ArrayJobId=2 ArrayTaskId=3 JobName=a.sh
   RunTime=00:00:00 TimeLimit=UNLIMITED TimeMin=N/A
   Partition=teaching AllocNode:Sid=localhost:4672
   NumNodes=1 NumCPUs=4 NumTasks=1 CPUs/Task=4 ReqB:S:C:T=0:0:*:1
   JOB_GRES=gpu:2
   MinCPUsNode=2 MinMemoryNode=4000M MinTmpDiskNode=0
   OverSubscribe=OK Contiguous=0 Licenses=(null) Network=(null)
)";

TEST(JobInfo, IsReadFromWhatScontrolPrints) {
  const auto job = parse_job_info(exclusive_job, "1").value();
  EXPECT_EQ(job.partition, "teaching");
  EXPECT_EQ(job.account, "csc101");
  EXPECT_EQ(job.qos, "");
  EXPECT_EQ(job.features, "turing");
  EXPECT_EQ(job.node_list, "t4-01");
  EXPECT_EQ(job.submitted_at, "2026-11-21T09:11:44+0100");
  EXPECT_EQ(job.started_at, "2026-11-21T09:11:50+0100");
  EXPECT_EQ(job.nodes, 1);
  EXPECT_EQ(job.tasks, 1);
  EXPECT_EQ(job.cpus, 32);
  EXPECT_EQ(job.cpus_per_task, 8);
  EXPECT_EQ(job.gpus, 4);
  EXPECT_EQ(job.gpu, "t4");
  EXPECT_EQ(job.memory_bytes, 32LL << 30);
  EXPECT_EQ(job.time_limit_s, 7200);
  EXPECT_EQ(job.restarts, 2);
  EXPECT_TRUE(job.exclusive);
}

TEST(JobInfo, SaysWhetherAStepWasKilledForItsMemory) {
  const std::string killed = "JobId=1 JobName=x\n   DerivedExitCode=0:125\n";
  EXPECT_TRUE(parse_job_info(killed, "1").value().step_out_of_memory);
  EXPECT_FALSE(parse_job_info(exclusive_job, "1").value().step_out_of_memory);
}

TEST(JobInfo, OfAnArrayIsThatOfTheElementRequested) {
  const auto first = parse_job_info(array_jobs, "2").value();
  EXPECT_EQ(first.partition, "dgx");
  EXPECT_EQ(first.nodes, 2);
  EXPECT_EQ(first.gpus, 0);
  EXPECT_EQ(first.memory_bytes, 4096LL << 20);
  EXPECT_EQ(first.time_limit_s, 86400 + 600);
  EXPECT_FALSE(first.exclusive);
  const auto second = parse_job_info(array_jobs, "3").value();
  EXPECT_EQ(second.partition, "teaching");
  EXPECT_EQ(second.gpus, 2);
  EXPECT_EQ(second.gpu, "");
  EXPECT_EQ(second.memory_bytes, 4000LL << 20);
  EXPECT_TRUE(std::isinf(second.time_limit_s));
}

TEST(JobInfo, IsNothingWhereTheJobIsNotThere) {
  EXPECT_FALSE(parse_job_info("", "1"));
  EXPECT_FALSE(parse_job_info("slurm_load_jobs error: Invalid job id specified\n", "1"));
  EXPECT_FALSE(parse_job_info(array_jobs, "1"));
}

TEST(JobInfo, SurvivesAnAnswerCutOffAnywhere) {
  const std::string whole(exclusive_job);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto job = parse_job_info(whole.substr(0, length), "1");
    EXPECT_EQ(job.has_value(), length >= 7) << length;
  }
}

/// A folder with a `scontrol` of our own in front of the PATH.
class FakeScontrol : public testing::Test {
 protected:
  explicit FakeScontrol() {
    std::filesystem::create_directories(folder);
    setenv("PATH", (folder + ":" + path).c_str(), 1);
  }
  ~FakeScontrol() override {
    setenv("PATH", path.c_str(), 1);
    std::filesystem::remove_all(folder);
  }
  void install(const std::string& script) {
    std::ofstream(folder + "/scontrol") << "#!/bin/sh\n" << script;
    std::filesystem::permissions(folder + "/scontrol", std::filesystem::perms::owner_all);
  }
  const std::string folder = testing::TempDir() + "scontrol." + std::to_string(getpid());
  const std::string path = getenv("PATH");
};

TEST_F(FakeScontrol, IsQueriedForTheJobWithTimesThatHaveAnOffset) {
  install("echo JobId=$4 \"JobName=$1 $2 $3\"; echo Partition=p SubmitTime=$SLURM_TIME_FORMAT\n");
  const auto job = query_job_info("17", 20).value();
  EXPECT_EQ(job.partition, "p");
  EXPECT_EQ(job.submitted_at, "%Y-%m-%dT%H:%M:%S%z");
}

TEST_F(FakeScontrol, IsNotNeededWhereTheScriptHandsItsAnswerIn) {
  install("echo JobId=$4; echo Partition=asked\n");
  const auto partition = [](const Environment& environment) {
    return job_info(environment, "1", 20).value().partition;
  };
  EXPECT_EQ(partition({{"EPOCHCAST_JOB_INFO", exclusive_job}}), "teaching");
  EXPECT_EQ(partition({{"EPOCHCAST_JOB_INFO", array_jobs}}), "asked") << "of another job";
  EXPECT_EQ(partition({{"EPOCHCAST_JOB_INFO", ""}}), "asked");
  EXPECT_EQ(partition({}), "asked");
}

TEST_F(FakeScontrol, MayRefuseOrBeSilent) {
  install("echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2; exit 1\n");
  EXPECT_FALSE(query_job_info("17", 20));
  install("sleep 100\n");
  EXPECT_FALSE(query_job_info("17", 0.2));
}

struct TimeCase {
  const char* text;
  double seconds;
};
class SlurmTimes : public testing::TestWithParam<TimeCase> {};
TEST_P(SlurmTimes, AreReadAsSlurmMeansThem) {
  EXPECT_EQ(parse_time_s(GetParam().text), GetParam().seconds);
}
INSTANTIATE_TEST_SUITE_P(Table, SlurmTimes,
                         testing::Values(TimeCase{"90", 5400}, TimeCase{"2:00", 120},
                                         TimeCase{"1:30:00", 5400}, TimeCase{"1-00:00:00", 86400},
                                         TimeCase{"2-3", 2 * 86400 + 3 * 3600},
                                         TimeCase{"1-2:30", 86400 + 9000},
                                         TimeCase{"UNLIMITED", INFINITY},
                                         TimeCase{"infinite", INFINITY}));

class InvalidSlurmTimes : public testing::TestWithParam<const char*> {};
TEST_P(InvalidSlurmTimes, AreRefused) {
  EXPECT_FALSE(parse_time_s(GetParam()));
}
INSTANTIATE_TEST_SUITE_P(Table, InvalidSlurmTimes,
                         testing::Values("", "N/A", "Partition_Limit", "1:2:3:4", "1-", "-1", "a:b",
                                         "1:-2"));

TEST(JobEnvironment, TakesTheJobOfSlurm) {
  const auto job = read_job_environment(
      {{"SLURM_JOB_ID", "12"}, {"SLURM_RESTART_COUNT", "2"}, {"SLURM_CPUS_PER_TASK", "8"}});
  EXPECT_EQ(job.job_id, "12");
  EXPECT_TRUE(job.under_slurm);
  EXPECT_EQ(job.restart, 2);
  EXPECT_EQ(job.cpus_per_task, 8);
}

TEST(JobEnvironment, PrefersTheLocalRunnersJobToTheEnclosingOne) {
  const auto job = read_job_environment({{"SLURM_JOB_ID", "12"}, {"EPOCHCAST_JOB_ID", "local-7"}});
  EXPECT_EQ(job.job_id, "local-7");
  EXPECT_FALSE(job.under_slurm);
}

TEST(JobEnvironment, MakesAnIdWhereThereIsNoJob) {
  const auto job = read_job_environment({});
  EXPECT_EQ(job.job_id, "local-" + std::to_string(getpid()));
  EXPECT_EQ(job.restart, 0);
}

TEST(JobEnvironment, RefusesInvalidNumbers) {
  EXPECT_THROW(read_job_environment({{"SLURM_CPUS_PER_TASK", "8(x2)"}}), Error);
  EXPECT_THROW(read_job_environment({{"SLURM_RESTART_COUNT", "-1"}}), Error);
}

TEST(JobEnvironment, IsReadFromTheProcess) {
  setenv("EPOCHCAST_TEST_VARIABLE", "a=b", 1);
  EXPECT_EQ(variable(current_environment(), "EPOCHCAST_TEST_VARIABLE"), "a=b");
  EXPECT_EQ(variable(current_environment(), "EPOCHCAST_TEST_NO_VARIABLE"), "");
}

TEST(JobInfo, OfAJobOfSeveralPointsIsTheShareOfOne) {
  Environment environment{{"EPOCHCAST_JOB_INFO", exclusive_job},
                          {"EPOCHCAST_PACK", "2 2026-11-21T10:11:50 3600 gpu"}};
  const auto job = job_info(environment, "1", 1);
  ASSERT_TRUE(job);
  EXPECT_EQ(job->cpus, 16);
  EXPECT_EQ(job->memory_bytes, 16LL << 30);
  EXPECT_EQ(job->gpus, 2);
  EXPECT_EQ(job->time_limit_s, 3600) << "what was left";
  EXPECT_EQ(job->started_at, "2026-11-21T10:11:50");
  EXPECT_EQ(job->points_at_once, 2);
  EXPECT_FALSE(job->shares_gpu);
  environment["EPOCHCAST_PACK"] = "2 2026-11-21T10:11:50 3600 shared_gpu";
  EXPECT_EQ(job_info(environment, "1", 1)->gpus, 4);
  EXPECT_TRUE(job_info(environment, "1", 1)->shares_gpu);
  for (const auto* other : {"", "odd", "0 2026-11-21T10:11:50 3600 gpu"}) {
    environment["EPOCHCAST_PACK"] = other;
    EXPECT_EQ(job_info(environment, "1", 1)->cpus, 32) << other;
  }
}

}  // namespace
}  // namespace epochcast::slurm
