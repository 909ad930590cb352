#include "analysis/records/recorded_step.hpp"

#include <gtest/gtest.h>

#include <vector>

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
