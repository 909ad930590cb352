// Run times and limits from past jobs in batches; the histories are simulated.
#include "src/forecast/history/past_runs.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace epochcast::history {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr double day_s = 86400;

slurm::AccountedJob job_at(double submitted_s, double elapsed_s,
                           const std::string& name = "train") {
  slurm::AccountedJob job;
  job.user = "alice";
  job.job_name = name;
  job.partition = "gpu";
  job.nodes = job.cpus = 1;
  job.submitted_at = job.started_at = fmt::format("{:.0f}", submitted_s);
  job.ended_at = fmt::format("{:.0f}", submitted_s + elapsed_s);
  job.elapsed_s = elapsed_s;
  job.limit_s = 36000;
  job.state = slurm::JobState::completed;
  return job;
}

/// A day apart, from the second day on.
std::vector<slurm::AccountedJob> daily(const std::vector<double>& elapsed_s) {
  std::vector<slurm::AccountedJob> jobs;
  for (const double time_s : elapsed_s) {
    jobs.push_back(job_at(day_s * static_cast<double>(jobs.size() + 1), time_s));
  }
  return jobs;
}

std::optional<RunForecast> next_of(const std::vector<slurm::AccountedJob>& jobs, double at_s,
                                   const std::string& name = "train") {
  const PastRuns runs(jobs, job_at(at_s, 0, name));
  return runs.forecast(runs.batches().size() - 1);
}

TEST(PastRuns, JobsOfAnHourAreABatchAndThoseThatFailedAreNone) {
  std::vector<slurm::AccountedJob> jobs{job_at(7300, 100), job_at(7200, 100), job_at(10800, 100),
                                        job_at(7200, 100, "other"), job_at(7200, 100)};
  jobs.back().state = slurm::JobState::failed;
  EXPECT_THAT(PastRuns(jobs).batches(),
              ElementsAre(ElementsAre(1, 0), ElementsAre(3), ElementsAre(2)));
}

TEST(PastRuns, NeedsBatchesNotJobs) {
  EXPECT_FALSE(next_of(std::vector(500, job_at(day_s, 100)), 2 * day_s));
  EXPECT_FALSE(next_of(daily(std::vector<double>(20, 100)), 30 * day_s)) << "the first has no past";
  EXPECT_TRUE(next_of(daily(std::vector<double>(21, 100)), 30 * day_s));
}

TEST(PastRuns, AHugeBatchIsOneObservation) {
  auto jobs = daily(std::vector<double>(30, 1000));
  jobs.insert(jobs.end(), 900, job_at(30.5 * day_s, 5));
  EXPECT_NEAR(next_of(jobs, 32 * day_s)->time_s.value, 1000, 1e-6);
}

TEST(PastRuns, JobsOfTheSameNameComeFirst) {
  auto jobs = daily(std::vector<double>(40, 1000));
  for (std::size_t i = 0; i < jobs.size(); i += 2) {
    jobs[i] = job_at(day_s * static_cast<double>(i + 1), 50, "test");
  }
  EXPECT_NEAR(next_of(jobs, 45 * day_s, "test")->time_s.value, 50, 1e-6);
  EXPECT_NEAR(next_of(jobs, 45 * day_s, "train")->time_s.value, 1000, 1e-6);
}

TEST(PastRuns, ALimitLetsNearlyAllEndAndAsksForFewerHours) {
  std::mt19937_64 random(5);
  std::lognormal_distribution<double> law(std::log(3000), 0.4);
  std::vector<double> times_s(400);
  std::ranges::generate(times_s, [&] { return law(random); });
  const PastRuns runs(daily(times_s));
  const auto scores = runs.backtest(300);
  const auto share = [](const forecast::Share& of) {
    return static_cast<double>(of.held) / static_cast<double>(of.of);
  };
  EXPECT_EQ(scores.inside_80.of, 300U);
  EXPECT_NEAR(share(scores.inside_80), 0.8, 0.06);
  EXPECT_NEAR(share(scores.inside_95), 0.95, 0.04);
  EXPECT_GE(share(scores.within_limit), 0.96);
  EXPECT_LT(scores.asked_s / scores.used_s, 6) << "their own limits ask for 11 times what they use";
}

TEST(PastRuns, JobsAtTheirLimitAndRunningOnesCountAsLonger) {
  auto jobs = daily(std::vector<double>(40, 1000));
  for (std::size_t i = 1; i < jobs.size(); i += 4) {
    jobs[i].elapsed_s = jobs[i].limit_s = 1000;
    jobs[i].state = slurm::JobState::timeout;
  }
  auto asked = job_at(45 * day_s, 0);
  asked.limit_s = 5000;
  const PastRuns runs(jobs, asked);
  const auto made = runs.forecast(runs.batches().size() - 1);
  EXPECT_EQ(made->time_s.interval_95.high, 5000) << "how long a quarter of them take is not known";
}

TEST(PastRuns, WarnsWhereAJobIsNotLikeItsPast) {
  std::vector<double> times_s(40, 1000);
  EXPECT_EQ(next_of(daily(times_s), 60 * day_s)->warning, "");
  std::fill(times_s.end() - 3, times_s.end(), 9000);
  EXPECT_THAT(next_of(daily(times_s), 60 * day_s)->warning, HasSubstr("may not be like its past"));
  EXPECT_THAT(next_of(daily(times_s), 60 * day_s, "new")->warning, HasSubstr("no earlier job"));
}

}  // namespace
}  // namespace epochcast::history
