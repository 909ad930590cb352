#include "analysis/records/recorded_step.hpp"

#include <gtest/gtest.h>

#include <tuple>
#include <vector>

#include "analysis/records/record_metrics.hpp"
#include "tests/analysis/made_records.hpp"

namespace epochcast::analysis {
namespace {

/// A run whose steps of one epoch start at these times, and last until the next starts.
record::Record record_of_starts(const std::vector<double>& starts_s) {
  auto record = made_record({});
  std::int64_t index = 0;
  for (const double start_s : starts_s) {
    record.iterations.push_back(
        {.index = index++, .start_s = start_s, .step_s = 0.5, .samples = 256});
  }
  return record;
}

TEST(RecordedStep, ExcludesTheColdFirstStepOfAShortRun) {
  EXPECT_DOUBLE_EQ(recorded_step(record_of_starts({0, 9, 10, 12}))->measured.time_s, 1.5);
  EXPECT_DOUBLE_EQ(recorded_step(record_of_starts({0, 9, 10}))->measured.time_s, 1);
  EXPECT_DOUBLE_EQ(recorded_step(record_of_starts({0, 9}))->measured.time_s, 9)
      << "there is no other";
}

TEST(RecordedStep, ExcludesEvaluationsAndTheChoiceOfKernelsBetweenSteps) {
  auto record = record_of_starts({0, 9, 10, 16, 17});
  record.spans.push_back({.name = "evaluate_within", .start_s = 10.75, .duration_s = 2});
  record.spans.push_back({.name = "choose_kernels", .start_s = 13, .duration_s = 3});
  EXPECT_DOUBLE_EQ(recorded_step(record)->measured.time_s, 1);
}

TEST(RecordedStep, IsOneOfThoseThatARowStandsFor) {
  auto record = record_of_starts({9, 19, 29, 39});
  for (auto& row : record.iterations) {
    row.index = 10 * (row.index + 1) - 1;
  }
  EXPECT_DOUBLE_EQ(recorded_step(record)->measured.time_s, 1);
}

TEST(RecordedStep, TakesTheTrainingsTimeWhereNoStepsAreRecorded) {
  auto record = made_record({.epochs = 2});
  EXPECT_FALSE(recorded_step(record)) << "nor how many an epoch has";
  record.work.front().iterations_per_epoch = 7;
  const auto step = recorded_step(record);
  EXPECT_DOUBLE_EQ(step->measured.time_s, 1.5) << "11 s and 10 s over 14 steps";
  EXPECT_FALSE(step->parts);
}

/// The device's time, and the length of the queue.
class QueuedSteps : public testing::TestWithParam<std::tuple<double, std::size_t>> {
 protected:
  double device_s() const { return std::get<0>(GetParam()); }
  std::size_t queue() const { return std::get<1>(GetParam()); }
  double tolerance_s() const { return 0.05 * device_s(); }
};

TEST_P(QueuedSteps, TakeTheGpusTimeHoweverFarTheHostRanAhead) {
  for (const std::int64_t epochs : {1, 3}) {
    auto record = queued_record({device_s(), queue(), 5e-5, 0.3 * device_s(), {.epochs = epochs}});
    const auto step = recorded_step(record);
    EXPECT_NEAR(step->measured.time_s, device_s(), tolerance_s());
    EXPECT_NEAR(step->parts->device_s, device_s(), tolerance_s()) << "a hidden wait is none";
    for (const double steady_s : steady_steps_s(record)) {
      EXPECT_NEAR(steady_s, device_s(), queue() == 2 ? 10 * device_s() : tolerance_s());
    }
    record.epochs.clear();  // ended early
    EXPECT_NEAR(recorded_step(record)->measured.time_s, device_s(), tolerance_s());
    EXPECT_NEAR(256 / steady_samples_per_s(record).value(), device_s(), tolerance_s()) << "MFU";
  }
}

TEST_P(QueuedSteps, TakeTheHostsTimeWhereTheGpuWaitsForIt) {
  const auto record = queued_record({device_s(), queue(), 5e-5, 1.5 * device_s()});
  const auto step = recorded_step(record);
  EXPECT_NEAR(step->measured.time_s, 1.5 * device_s() + 5e-5, tolerance_s());
  EXPECT_NEAR(step->parts->input_s, 0.5 * device_s(), tolerance_s());
}

TEST_P(QueuedSteps, CountWhatTheGpuDoesBetweenThem) {
  auto record = queued_record({device_s(), queue()});
  const double copy_s = 0.3 * device_s();  // as a copy to the device does: in no step's own time
  for (auto& row : record.iterations) {
    row.device_s -= copy_s;
  }
  EXPECT_NEAR(recorded_step(record)->measured.time_s, device_s(), tolerance_s());
}

INSTANTIATE_TEST_SUITE_P(RecordedStep, QueuedSteps,
                         testing::Combine(testing::Values(0.002, 0.02, 0.2),
                                          testing::Values(2, 100, 1000)));

TEST(RecordedStep, TakesNoPartOfABatchForAWholeOne) {
  auto record = record_of_starts({0, 9});
  record.iterations.back().samples = 20;
  EXPECT_TRUE(steady_steps_s(record).empty()) << "a cold one and a short one";
  EXPECT_DOUBLE_EQ(recorded_step(record)->measured.time_s, 9);
  record.iterations.push_back(
      {.epoch = 1, .index = 0, .start_s = 10, .step_s = 0.75, .samples = 256});
  EXPECT_EQ(steady_steps_s(record), std::vector{0.75});
}

TEST(RecordedStep, SpreadsTheTrainingsTimeOverSamplesWhereTheLastStepIsShort) {
  auto record = made_record({.epochs = 2, .batch = 800});
  record.work.front().iterations_per_epoch = 2;  // of 800 and of 200 samples
  EXPECT_DOUBLE_EQ(recorded_step(record)->measured.time_s, 21.0 * 800 / 2000);
}

}  // namespace
}  // namespace epochcast::analysis
