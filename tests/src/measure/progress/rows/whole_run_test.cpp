// What only the end of a run shows: each rule by itself.
#include "src/measure/progress/rows/whole_run.hpp"

#include <gtest/gtest.h>

#include "src/base/core/lists.hpp"

namespace epochcast::progress {
namespace {

Rows epochs_of(const std::vector<double>& walls_s) {
  Rows rows;
  for (const double wall_s : walls_s) {
    rows.epochs.push_back({.epoch = std::ssize(rows.epochs), .wall_s = wall_s, .iterations = 10});
  }
  return rows;
}

std::vector<double> walls_s(const Rows& rows) {
  return mapped(rows.epochs, [](const auto& row) { return row.wall_s; });
}

RunSoFar without_times() {
  RunSoFar run;
  run.clock.timed = false;
  return run;
}

TEST(WholeRun, TheOnlyDurationAfterSeveralEpochsIsTheRuns) {
  auto run = without_times();
  run.before.durations_stated = 1;
  auto rows = epochs_of({0, 0, 300.9});
  take_total(rows, run);
  EXPECT_EQ(rows.total_s, 300.9);
  EXPECT_EQ(walls_s(rows), (std::vector<double>{0, 0, 0}));
  rows = epochs_of({300.9});
  take_total(rows, run);
  EXPECT_EQ(rows.total_s, std::nullopt);
}

TEST(WholeRun, DurationsThatGoUpByTheFirstAreSums) {
  auto rows = epochs_of({60, 120, 181});
  undo_running_sums(rows, without_times());
  EXPECT_EQ(walls_s(rows), (std::vector<double>{60, 60, 61}));
  EXPECT_EQ(rows.epochs[2].start_s, 120);
}

TEST(WholeRun, OthersAreNot) {
  for (const auto& durations_s : {std::vector<double>{60, 61, 62}, {60, 120}, {60, 120, 300}}) {
    auto rows = epochs_of(durations_s);
    undo_running_sums(rows, without_times());
    EXPECT_EQ(walls_s(rows), durations_s);
  }
}

TEST(WholeRun, WithTimesOfLinesNoneAreSums) {
  auto rows = epochs_of({60, 120, 180});
  undo_running_sums(rows, {});
  EXPECT_EQ(walls_s(rows), (std::vector<double>{60, 120, 180}));
}

TEST(WholeRun, AFirstEpochOfFewerStepsOfTheRunBeganBeforeTheLog) {
  RunSoFar run;
  run.options.begin_anywhere = true;
  run.steps.counts_on = true;
  run.steps.stride = 1;
  run.steps.first_printed = 507;
  auto rows = epochs_of({3, 10, 10});
  rows.epochs.front().iterations = 3;
  doubt_first(rows, run);
  EXPECT_EQ(walls_s(rows), (std::vector<double>{0, 10, 10}));
  run.steps.first_printed = 1;  // it is the first of the run
  rows.epochs.front().wall_s = 3;
  doubt_first(rows, run);
  EXPECT_EQ(walls_s(rows), (std::vector<double>{3, 10, 10}));
}

TEST(WholeRun, TheClockOfALogBeginsWithItsFirstEpoch) {
  auto run = without_times();
  run.options.begin_anywhere = true;
  auto rows = epochs_of({10});
  rows.epochs.front().start_s = 25;
  rows.iterations.push_back({.start_s = 30});
  EXPECT_EQ(count_from_first(rows, run), 25);
  EXPECT_EQ(rows.iterations.front().start_s, 5);
}

TEST(WholeRun, AndThatOfAProgramDoesNot) {
  auto rows = epochs_of({10});
  rows.epochs.front().start_s = 25;
  EXPECT_EQ(count_from_first(rows, {}), 0);
}

}  // namespace
}  // namespace epochcast::progress
