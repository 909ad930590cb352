#include "src/forecast/history/job_groups.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/files.hpp"

namespace epochcast::history {
namespace {

using slurm::AccountedJob;
using slurm::JobState;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

AccountedJob ended_job(const std::string& name, double elapsed_s,
                       JobState state = JobState::completed) {
  AccountedJob job;
  job.job_name = name;
  job.elapsed_s = elapsed_s;
  job.state = state;
  job.limit_s = 3600;
  job.submitted_at = "2026-01-01T00:00:00";
  job.ended_at = "2026-01-01T01:00:00";
  return job;
}

TEST(JobGroups, AreOfTheSameScriptAndResourcesAndTheLongestComeFirst) {
  auto on_gpu = ended_job("a", 100);
  on_gpu.gpus = 1;
  const std::vector<AccountedJob> jobs{ended_job("b", 1), ended_job("a", 10), on_gpu,
                                       ended_job("a", 20)};
  const auto groups = group_jobs(jobs, default_group());
  ASSERT_THAT(groups, SizeIs(3));
  EXPECT_THAT(groups[0].jobs, SizeIs(1));
  EXPECT_EQ(groups[0].jobs[0].gpus, 1);
  EXPECT_THAT(groups[1].jobs, SizeIs(2));
  const auto by_name = group_jobs(jobs, {"job_name"});
  ASSERT_THAT(by_name, SizeIs(2));
  EXPECT_THAT(by_name[0].values, ElementsAre("a"));
  EXPECT_THAT(by_name[0].jobs, SizeIs(3));
  EXPECT_THAT(error_of([&] { group_jobs(jobs, {"jobname"}); }),
              HasSubstr("no job has 'jobname'; did you mean 'job_name'?"));
}

TEST(JobGroups, LeaveOutAndCountWhatSaysNothingOfTheRunTime) {
  auto again = ended_job("a", 50);
  again.restarts = 1;
  auto endless = ended_job("a", 30);
  endless.limit_s = 0;
  const auto times =
      times_of({ended_job("a", 900), ended_job("a", 3630, JobState::timeout), endless, again,
                ended_job("a", 1, JobState::failed), ended_job("a", 1, JobState::out_of_memory),
                ended_job("a", 1, JobState::cancelled), ended_job("a", 1, JobState::node_fail),
                ended_job("a", 1, JobState::requeued)});
  ASSERT_THAT(times.times, SizeIs(3));
  EXPECT_TRUE(times.times[1].cut_off);
  EXPECT_EQ(times.failed, 2u);
  EXPECT_EQ(times.cancelled, 1u);
  EXPECT_EQ(times.disturbed, 3u);
  EXPECT_EQ(times.left_out(), 6u);
  EXPECT_EQ(times.limited, 2u) << "one had no limit";
  EXPECT_EQ(times.at_limit, 1u);
  EXPECT_EQ(times.asked_s, 7200);
  EXPECT_EQ(times.used_s, 4500) << "no more than was asked for";
}

TEST(JobGroups, BacktestSkipsJobsWithoutTimes) {
  std::vector<AccountedJob> jobs(40, ended_job("a", 100));
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    jobs[i].submitted_at = "2026-01-" + std::to_string(10 + i / 2) + "T00:00:00";
    jobs[i].ended_at = "2026-01-" + std::to_string(10 + i / 2) + "T00:01:40";
  }
  const auto all = backtest(times_of(jobs));
  EXPECT_EQ(all.inside_80.of, 30u);
  EXPECT_EQ(all.inside_80.held, 30u);
  jobs.back().submitted_at = "Unknown";
  EXPECT_EQ(backtest(times_of(jobs)).inside_80.of, 29u);
}

TEST(NamePattern, IsOfTheShellOrARegularExpression) {
  EXPECT_TRUE(NamePattern("train-*").matches("train-7"));
  EXPECT_FALSE(NamePattern("train").matches("train-7")) << "the whole name";
  EXPECT_TRUE(NamePattern("/^train-\\d+$/").matches("train-7"));
  EXPECT_FALSE(NamePattern("/^train-\\d+$/").matches("train-x"));
  EXPECT_TRUE(NamePattern("/ain/").matches("train")) << "a part of it";
  EXPECT_TRUE(NamePattern("/").matches("/"));
  EXPECT_THAT(error_of([] { NamePattern("/(/"); }),
              HasSubstr("name pattern: '(' is no regular expression: missing closing parenthesis"));
  EXPECT_THAT(error_of([] { NamePattern(""); }), HasSubstr("expected a pattern such as"));
  EXPECT_FALSE(NamePattern("/(a+)+$/").matches(std::string(100'000, 'a') + "b")) << "soon";
  EXPECT_TRUE(NamePattern("/(a|b)*c/").matches(std::string(1'000, 'a') + "c"))
      << "no recursion for each character";
  EXPECT_TRUE(matches_any({}, "x"));
  EXPECT_FALSE(matches_any({NamePattern("y"), NamePattern("z")}, "x"));
}

}  // namespace
}  // namespace epochcast::history
