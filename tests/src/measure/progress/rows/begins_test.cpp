// Where epochs begin, by what was read before: each rule by itself.
#include "src/measure/progress/rows/begins.hpp"

#include <gtest/gtest.h>

namespace epochcast::progress {
namespace {

TEST(Begins, TheFirstBeginsAtItsHeading) {
  EXPECT_EQ(begin_of_first({}, {.epoch = 0, .begins_epoch = true}, 12).start_s, 12);
}

TEST(Begins, TheFirstOfWhichOnlyTheEndIsPrintedBeginsSomewhere) {
  const auto found = begin_of_first({}, {.epoch = 0, .ends_epoch = true}, 60);
  EXPECT_EQ(found.start_s, 0);
  EXPECT_TRUE(found.first.begin_unknown);
}

TEST(Begins, ALineMaySayThatTheTrainingBegins) {
  RunSoFar run;
  run.first.told_s = 15;
  const auto found = begin_of_first(run, {.epoch = 0, .ends_epoch = true}, 60);
  EXPECT_EQ(found.start_s, 15);
  EXPECT_FALSE(found.first.begin_unknown);
}

TEST(Begins, WhatWasDoneBeforeIsNotOfTheFirst) {
  RunSoFar run;
  run.first.not_before_s = 20;
  const auto found = begin_of_first(run, {.epoch = 0, .ends_epoch = true}, 60);
  EXPECT_EQ(found.start_s, 20);
  EXPECT_TRUE(found.first.begin_unknown);
}

TEST(Begins, AStatedDurationLeadsBack) {
  const auto found = begin_of_first({}, {.epoch = 0, .duration_s = 40, .ends_epoch = true}, 60);
  EXPECT_EQ(found.start_s, 20);
  EXPECT_TRUE(found.first.by_stated);
}

TEST(Begins, ButNotToBeforeTheOutput) {
  const Reading ends{.epoch = 0, .duration_s = 80, .ends_epoch = true};
  EXPECT_EQ(stated_begin_s({}, ends, 60, 60), 0);
  EXPECT_EQ(stated_begin_s({.begin_anywhere = true}, ends, 0, 0), -80);
  EXPECT_EQ(stated_begin_s({.begin_anywhere = true, .begin_within = true}, ends, 60, 60), -20);
}

TEST(Begins, StepsOfTheFirstShowTheirRate) {
  RunSoFar run;
  const auto found = begin_of_first(run, {.epoch = 0, .step = 10}, 30.5);
  ASSERT_TRUE(found.first.print);
  run.first = found.first;
  run.open = OpenEpoch{.epoch = 0};
  EXPECT_EQ(begin_by_rate_s(run, 10, 40.5), std::nullopt);
  EXPECT_EQ(begin_by_rate_s(run, 20, 40.5), 20.5);  // a second each
}

TEST(Begins, APrintOfALaterEpochShowsTheRateOfEpochs) {
  RunSoFar run;
  run.first.print = FirstEpoch::Print{.done = 0.5, .at_s = 30, .by_part = true};
  run.open = OpenEpoch{.epoch = 0};
  const Reading next{.epoch = 2, .part = 0.5};
  EXPECT_EQ(begin_by_parts_s(run, 2, next, 70), 20);  // 20 s an epoch
}

TEST(Begins, AnEpochBeginsWhereTheOneBeforeEnded) {
  RunSoFar run;
  run.numbers.begun = true;
  run.times.ended_s = 80;
  const auto found = begin_of(run, 2, {.epoch = 2, .step = 10}, 95, {});
  EXPECT_EQ(found.start_s, 80);
  EXPECT_FALSE(found.cut);
}

TEST(Begins, AnAttemptBeginsAsLongBeforeItsFirstPrintAsTheEpochsBeforeTook) {
  RunSoFar run;
  run.numbers.begun = true;
  run.lost.resumes = true;
  run.times.ended_s = 80;
  run.before = {.wall_s = 50, .steps = 100};
  const auto found = begin_of(run, 2, {.epoch = 2, .step = 20}, 500, {});
  EXPECT_EQ(found.start_s, 490);
  EXPECT_FALSE(found.cut);
}

TEST(Begins, OfALineThatTellsNothingButTheNumberTheFirstIsCut) {
  EXPECT_TRUE(begin_of({}, 0, {.epoch = 0}, 30, 0).cut);
}

}  // namespace
}  // namespace epochcast::progress
