// Where epochs end, by what was read before: each rule by itself.
#include "src/measure/progress/rows/ends.hpp"

#include <gtest/gtest.h>

namespace epochcast::progress {
namespace {

/// Epoch 3 from 100 s on, of 50 steps; its last print was of step 40 at 140 s.
RunSoFar at_step_40_of_50() {
  RunSoFar run;
  run.numbers.begun = true;
  run.open = OpenEpoch{.epoch = 3, .start_s = 100, .step = 40, .steps = 50};
  run.times.trained_s = run.times.now_s = run.times.read_s = 140;
  run.times.ended_s = 100;
  run.steps.last = StepPrint{.step = 40, .at_s = 140};
  run.steps.stride = 10;
  run.steps.step_s = 1;
  run.steps.last_printed = 40;
  return run;
}

const Reading first_print{.epoch = 4, .step = 10, .steps = 50};
const Reading heading{.epoch = 4, .begins_epoch = true};

TEST(Ends, MissingStepsTakeAsLongAsThoseBefore) {
  EXPECT_DOUBLE_EQ(missing_s(at_step_40_of_50()), 10);
}

TEST(Ends, StepsOfAnUnknownNumberAreNotMissing) {
  auto run = at_step_40_of_50();
  run.open->steps.reset();
  EXPECT_EQ(missing_s(run), 0);
}

TEST(Ends, BetweenTwoPrintsTheStepsShareTheTime) {
  // 10 steps of this epoch and 10 of the next one in 20 s.
  EXPECT_DOUBLE_EQ(end_before(at_step_40_of_50(), first_print, 160), 150);
}

TEST(Ends, AHeadingEndsTheEpochBefore) {
  EXPECT_DOUBLE_EQ(end_before(at_step_40_of_50(), heading, 152), 152);
}

TEST(Ends, AfterAnEvaluationTheEpochEndsWithIt) {
  auto run = at_step_40_of_50();
  run.evaluation.since_train = true;
  run.times.ended_s = 158;
  EXPECT_DOUBLE_EQ(end_before(run, first_print, 168), 158);
}

TEST(Ends, StepsThatTheRunCountsOnHaveNoGap) {
  auto run = at_step_40_of_50();
  run.open->steps.reset();
  const Reading next{.epoch = 4, .step = 50};
  EXPECT_DOUBLE_EQ(end_before(run, next, 150), 140);
}

TEST(Ends, WithoutTimesOfLinesTheMissingStepsAreAdded) {
  auto run = at_step_40_of_50();
  run.clock.timed = false;
  EXPECT_DOUBLE_EQ(end_before(run, first_print, 200), 150);
}

TEST(Ends, TheLastEpochIsWholeIfItsStepsAre) {
  auto run = at_step_40_of_50();
  EXPECT_EQ(end_of_last_s(run), std::nullopt);
  run.open->step = 50;
  EXPECT_EQ(end_of_last_s(run), 140);
}

TEST(Ends, TheLastEpochIsWholeIfItCameAsFarAsThoseBefore) {
  auto run = at_step_40_of_50();
  run.position.epochs_done = 3;
  run.before.last_step = 40;
  EXPECT_EQ(end_of_last_s(run), 150);
  run.before.states_ends = true;  // and none was stated
  EXPECT_EQ(end_of_last_s(run), std::nullopt);
}

TEST(Ends, AnEvaluationSeenUnderWayBeganWhenTheStepsEnded) {
  auto run = at_step_40_of_50();
  EXPECT_DOUBLE_EQ(end_of_steps(run, 170), 140);  // a print is missing: it stands within
  run.open->step = 45;
  run.times.trained_s = 145;
  EXPECT_DOUBLE_EQ(end_of_steps(run, 170), 150);
}

TEST(Ends, AnEpochWaitsForAnEvaluationAsThoseBeforeTell) {
  EXPECT_DOUBLE_EQ(wait_for_evaluation_s({}, 60), 600);
  EXPECT_DOUBLE_EQ(wait_for_evaluation_s({.evaluation_s = 7}, 60), 14);
  EXPECT_DOUBLE_EQ(wait_for_evaluation_s({.evaluation_s = 0}, 60), 1);
  EXPECT_GT(wait_for_evaluation_s({.announced = true}, 60), 1e8);
}

TEST(Ends, AnAttemptEndsWhereItsOutputDid) {
  const Restart restart{.what = Statement::new_attempt, .at_s = 400, .silence_s = 250};
  EXPECT_DOUBLE_EQ(end_of_attempt_s(at_step_40_of_50(), restart, 410), 150);
}

/// What was printed at 160 s, after the last step, which ended at 150 s.
RunSoFar with_other_line(bool values) {
  auto run = at_step_40_of_50();
  run.times.others.last_s = 160;
  if (values) {
    run.times.others.values_s = run.times.others.last_values_s = 160;
  }
  return run;
}

TEST(Ends, ValuesBetweenEpochsAreOfAnEvaluation) {
  const auto found = between_epochs(with_other_line(true), first_print, 172);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->evaluation);
  EXPECT_DOUBLE_EQ(found->from_s, 150);
  EXPECT_DOUBLE_EQ(found->until_s, 160);
}

TEST(Ends, WhatElseIsPrintedBetweenEpochsIsNoEpochs) {
  const auto found = between_epochs(with_other_line(false), first_print, 172);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->evaluation);
}

TEST(Ends, ALineAmongTheNextStepsIsNotMeant) {
  EXPECT_FALSE(between_epochs(with_other_line(true), first_print, 165));
}

TEST(Ends, ValuesAfterTheEndOfAnEpochAndBeforeAHeadingAreOfAnEvaluation) {
  auto run = with_other_line(true);
  run.open.reset();
  run.times.ended_s = 150;
  const auto found = between_epochs(run, heading, 161);
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->until_s - found->from_s, 10);
  EXPECT_FALSE(between_epochs(run, first_print, 161));  // it may have begun before them
  run.before.evaluate_s = 4;                            // it was stated
  EXPECT_FALSE(between_epochs(run, heading, 161));
}

TEST(Ends, AfterTheLastEpochValuesCountOnlyAsBefore) {
  auto run = with_other_line(true);
  EXPECT_FALSE(after_last(run));
  run.before.evaluated = true;
  run.before.last_step = 40;
  run.before.evaluate_s = 9;
  const auto found = after_last(run);
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->until_s, 160);
}

}  // namespace
}  // namespace epochcast::progress
