// Simulated jobs: how often they were preempted, and what that costs.
#include "src/forecast/history/preemption.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace epochcast::history {
namespace {

slurm::AccountedJob job(const std::string& partition, double hours, slurm::JobState state) {
  slurm::AccountedJob job;
  job.partition = partition;
  job.elapsed_s = hours * 3600;
  job.state = state;
  return job;
}

TEST(Preemptions, CountsJobsOfThesePartitionsByTheirHours) {
  using enum slurm::JobState;
  const std::vector<slurm::AccountedJob> jobs{
      job("cheap", 1, preempted), job("cheap", 7, completed), job("cheap", 2, timeout),
      job("cheap", 0, cancelled), job("other", 5, preempted)};
  const auto found = preemptions_in(jobs, {"cheap"});
  EXPECT_EQ(found.jobs, 3U) << "one never ran";
  EXPECT_EQ(found.preempted, 1U);
  EXPECT_EQ(found.hours, 10);
  const auto rate = found.per_hour();
  ASSERT_TRUE(rate);
  EXPECT_DOUBLE_EQ(rate->value, 0.1);
  // of 1 event: 0.0253 to 5.5716 (95 %), 0.1054 to 3.8897 (80 %)
  EXPECT_NEAR(rate->interval_95.low, 0.00253, 1e-5);
  EXPECT_NEAR(rate->interval_95.high, 0.55716, 1e-5);
  EXPECT_NEAR(rate->interval_80.low, 0.01054, 1e-5);
  EXPECT_NEAR(rate->interval_80.high, 0.38897, 1e-5);
}

TEST(Preemptions, WithoutAnyTheRateIsNotKnown) {
  EXPECT_FALSE(
      preemptions_in({job("cheap", 100, slurm::JobState::completed)}, {"cheap"}).per_hour());
  EXPECT_FALSE(preemptions_in({}, {"cheap"}).per_hour());
}

TEST(ExpectedLoss, IsHalfAPartAndTheStartAgainForRarePreemptions) {
  const auto loss =
      expected_loss({.part_s = 600, .parts = 60, .again_s = 30}, {0.1, {0.05, 0.2}, {0.01, 0.4}});
  EXPECT_NEAR(loss.preemptions.value, 1, 0.01) << "10 hours at 0.1 an hour";
  EXPECT_NEAR(loss.lost_s.value, 300 + 30, 5);
  EXPECT_NEAR(loss.lost_s.interval_80.low, 165, 2);
  EXPECT_GT(loss.lost_s.interval_95.high, loss.lost_s.interval_80.high);
}

/// Against the process itself, simulated with a fixed sequence.
TEST(ExpectedLoss, IsTheMeanOfManyRuns) {
  constexpr int runs = 20000;
  constexpr double rate = 1.0 / 3600;
  constexpr double part_s = 3600;
  std::uint64_t state = 1;
  double lost_s = 0;
  for (int run = 0; run < runs; ++run) {
    for (int part = 0; part < 2; ++part) {
      for (;;) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        const double ends_s = -std::log((static_cast<double>(state >> 11) + 0.5) * 0x1p-53) / rate;
        if (ends_s > part_s) {
          break;
        }
        lost_s += ends_s + 60;
      }
    }
  }
  const auto loss =
      expected_loss({.part_s = part_s, .parts = 2, .again_s = 60}, {1, {1, 1}, {1, 1}});
  EXPECT_NEAR(loss.lost_s.value / (lost_s / runs), 1, 0.03);
}

TEST(ExpectedLoss, OfARunWithoutCheckpointsIsOfAllOfIt) {
  const forecast::Prediction rate{0.1, {0.1, 0.1}, {0.1, 0.1}};
  const auto with = expected_loss({.part_s = 360, .parts = 100}, rate);
  const auto without = expected_loss({.part_s = 36000, .parts = 1}, rate);
  EXPECT_LT(with.lost_s.value, 200);
  EXPECT_NEAR(without.lost_s.value, 36000 * (std::exp(1) - 2), 1);
}

}  // namespace
}  // namespace epochcast::history
