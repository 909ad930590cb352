// Time limits from past jobs; the histories are simulated.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "jobs/campaign/out_folder.hpp"
#include "jobs/plan/history_limits.hpp"
#include "src/base/core/files.hpp"
#include "src/forecast/ledger/past_forecasts.hpp"
#include "tests/jobs/campaign_test.hpp"

namespace epochcast::jobs {
namespace {

using test::error_of;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

/// Past jobs of 1001, 1002, ... seconds.
std::vector<slurm::AccountedJob> past_of(const std::string& name, std::size_t count) {
  std::vector<slurm::AccountedJob> jobs(count);
  for (std::size_t i = 0; i < count; ++i) {
    jobs[i].job_name = name;
    jobs[i].nodes = 1;
    jobs[i].cpus = 2;
    jobs[i].elapsed_s = 1001 + static_cast<double>(i);
    jobs[i].state = slurm::JobState::completed;
  }
  return jobs;
}

class HistoryPlan : public test::CampaignTest {
 protected:
  HistoryPlan() {
    request_.generate = {folder_ / "x.yaml", folder_ / "c.yaml", folder_ / "planned", {}, {}};
    site("time: 2h");
  }
  void site(const std::string& time, const std::string& scheduler = "slurm") {
    folder_.write("c.yaml", "scheduler: " + scheduler +
                                "\nallocations:\n  b: {cpus: 2, memory: 1G, " + time +
                                ", signal_lead: 30s}\n");
    folder_.write("x.yaml", "name: x\nepochs: 5\n");
  }
  PlanReport make(const PastJobs& past) { return plan_from_history(request_, past, tell_); }
  std::vector<ledger::LedgerRow> ledger() const {
    return ledger::read_ledger(ledger::ledger_of(folder_ / "planned"));
  }

  PlanRequest request_;
  test::WithVariable own_{"EPOCHCAST_LEDGER", folder_ / "own/ledger.csv"};
  std::string said_;
  Tell tell_ = [this](const std::string& line) { said_ += line + "\n"; };
};

TEST_F(HistoryPlan, SubmitsFullRunsWithLimitsAndWithoutPilots) {
  const auto report = make({past_of("train-7", 39), "train-*"});
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_EQ(report.points, 1u);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "planned/pilots"));
  const auto rows = ledger();
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0].forecast_s, 1020);
  EXPECT_EQ(rows[0].low_95_s, 1001);
  EXPECT_EQ(rows[0].high_95_s, 1039);
  EXPECT_EQ(rows[0].needed_s, 1039 * 1.1);
  EXPECT_EQ(rows[0].asked_s, 20 * 60);
  EXPECT_EQ(rows[0].classification, "history");
  EXPECT_EQ(rows[0].epochs, 5);
  EXPECT_THAT(scheduler_.calls().at(0), HasSubstr("--time=0-00:20:00"));
  EXPECT_THAT(said_, HasSubstr("forecast 17m, at most 17m (95 %): limit 20m"));
}

/// One a day, of 1000 s each, the newest three of 3000 s.
std::vector<slurm::AccountedJob> daily_jobs(std::size_t count) {
  auto jobs = past_of("train-7", count);
  for (std::size_t i = 0; i < count; ++i) {
    const double at_s = 86400.0 * static_cast<double>(i + 1);
    jobs[i].job = std::to_string(i);
    jobs[i].elapsed_s = i + 3 < count ? 1000 : 3000;
    jobs[i].submitted_at = jobs[i].started_at = fmt::format("{:.0f}", at_s);
    jobs[i].ended_at = fmt::format("{:.0f}", at_s + jobs[i].elapsed_s);
  }
  return jobs;
}

TEST_F(HistoryPlan, TakesBatchesWhereThereAreEnoughAndSaysWhereTheNewestAreUnlike) {
  auto jobs = daily_jobs(60);
  make({{jobs.begin(), jobs.end() - 3}, "train-*"});
  const auto row = ledger().at(0);
  EXPECT_NEAR(row.forecast_s, 1000, 1e-6);
  EXPECT_NEAR(row.needed_s, 1100, 1e-6);
  EXPECT_EQ(row.asked_s, 19 * 60);
  EXPECT_EQ(row.remark, "");
  request_.generate.out = folder_ / "other";
  make({jobs, "train-*"});
  const auto changed = ledger::read_ledger(ledger::ledger_of(folder_ / "other")).at(0);
  EXPECT_THAT(changed.remark, HasSubstr("the newest 3 batches were longer"));
  EXPECT_GE(changed.asked_s, 3300);
}

TEST_F(HistoryPlan, OnceMoreKeepsTheForecastAndSubmitsNothing) {
  make({past_of("train", 39), "train"});
  const auto before = read_file(folder_ / "planned/ledger.csv");
  make({past_of("train", 60), "train"});
  EXPECT_EQ(taken(), 1);
  EXPECT_EQ(read_file(folder_ / "planned/ledger.csv"), before);
}

TEST_F(HistoryPlan, ADryRunSubmitsNothingAndKeepsNoForecast) {
  request_.dry_run = true;
  const auto report = make({past_of("train", 39), "train"});
  ASSERT_THAT(report.commands, SizeIs(1));
  EXPECT_THAT(report.commands[0], HasSubstr("--time=0-00:20:00"));
  EXPECT_EQ(taken(), 0);
  EXPECT_THAT(ledger(), IsEmpty());
}

TEST_F(HistoryPlan, WithoutEnoughJobsOfTheseResourcesTheAllocationsLimitStays) {
  auto jobs = past_of("train", 39);
  for (auto& job : jobs) {
    job.gpus = 1;
  }
  make({jobs, "train"});
  const auto row = ledger().at(0);
  EXPECT_TRUE(std::isnan(row.forecast_s));
  EXPECT_EQ(row.asked_s, 7200);
  EXPECT_EQ(row.remark,
            "found 0 past jobs, expected at least 9 of the name 'train' (1 node, 2 CPUs, 0 GPUs)");
}

TEST_F(HistoryPlan, SaysWhyThereIsNoLimit) {
  make({past_of("train", 12), "train"});
  EXPECT_EQ(ledger().at(0).remark, "found 12 past jobs, expected at least 19 for a limit");
  request_.generate.out = folder_ / "other";
  auto jobs = past_of("train", 39);
  jobs[0].state = slurm::JobState::timeout;
  make({jobs, "train"});
  EXPECT_EQ(ledger::read_ledger(folder_ / "other/ledger.csv").at(0).remark,
            "1 of 39 past jobs reached their time limit");
}

TEST_F(HistoryPlan, OverTheLimitOfTheAllocationItSaysSo) {
  site("time: 15m");
  make({past_of("train", 39), "train"});
  const auto row = ledger().at(0);
  EXPECT_EQ(row.asked_s, 900);
  EXPECT_THAT(row.remark, HasSubstr("needs 20m, over the 15m of allocation 'b'"));
}

TEST_F(HistoryPlan, ANameMayHaveTheValuesOfThePoint) {
  make({past_of("train-e5", 39), "train-e{epochs}"});
  EXPECT_EQ(ledger().at(0).forecast_s, 1020);
  request_.generate.out = folder_ / "other";
  EXPECT_THAT(error_of([&] {
                make({{}, "train-{epoch}"});
              }),
              HasSubstr("--name: unknown placeholder '{epoch}'; did you mean 'epochs'?"));
}

TEST_F(HistoryPlan, NeedsSlurmAndAFolderWithoutPilots) {
  site("time: 2h", "local");
  EXPECT_THAT(error_of([&] {
                make({{}, "train"});
              }),
              HasSubstr("--history: needs a cluster with Slurm"));
  site("time: 2h");
  folder_.write("planned/plan.csv", "point,pilot\na,b\n");
  EXPECT_THAT(error_of([&] { make({{}, "train"}); }), HasSubstr("has a plan with pilots"));
}

TEST_F(HistoryPlan, ItsForecastsDoNotAdjustThoseOfPilots) {
  ledger::LedgerRow row;
  row.outcome = ledger::Outcome::complete;
  row.forecast_s = row.low_80_s = row.high_80_s = row.low_95_s = row.high_95_s = row.actual_s = 1;
  EXPECT_THAT(ledger::past_forecasts({row}), SizeIs(1));
  row.classification = ledger::from_history;
  EXPECT_THAT(ledger::past_forecasts({row}), IsEmpty());
}

}  // namespace
}  // namespace epochcast::jobs
