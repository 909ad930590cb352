#include "src/measure/progress/rows/merge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace epochcast::progress {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

record::Epoch epoch(std::int64_t number, double start_s, double wall_s) {
  return {.epoch = number, .start_s = start_s, .wall_s = wall_s};
}

Rows epochs(std::vector<record::Epoch> all) {
  return {.epochs = std::move(all)};
}

Rows metric(std::int64_t number, const std::string& name, double value) {
  return {.metrics = {{.epoch = number, .name = name, .value = value}}};
}

std::vector<std::int64_t> numbers(const Rows& rows) {
  std::vector<std::int64_t> all;
  for (const auto& row : rows.epochs) {
    all.push_back(row.epoch);
  }
  return all;
}

/// A hook that has begun an epoch.
Merge with_hook() {
  Merge merge;
  merge.see({.begins_epoch = true});
  return merge;
}

TEST(Match, PairsEpochsByTheirMiddle) {
  const auto found =
      match({epoch(0, 5, 10), epoch(1, 15, 10)}, {epoch(0, 0, 15), epoch(1, 15, 10)});
  EXPECT_EQ(found.pairs, 2U);
  EXPECT_EQ(found.of_hook, 0);
  EXPECT_EQ(found.difference, "") << "the output's first epoch holds the start-up";
}

TEST(Match, TakesTheNumbersOfARunThatWasResumed) {
  const auto found =
      match({epoch(0, 5, 10), epoch(1, 15, 10)}, {epoch(3, 0, 15), epoch(4, 15, 10)});
  EXPECT_EQ(found.of_hook, 3);
  EXPECT_EQ(found.of_output, 0);
}

TEST(Match, KeepsTheNumbersOfAHookThatKnowsThem) {
  const auto found =
      match({epoch(2, 0, 10), epoch(3, 10, 10)}, {epoch(0, 0, 10), epoch(1, 10, 10)});
  EXPECT_EQ(found.of_hook, 0);
  EXPECT_EQ(found.of_output, 2);
}

TEST(Match, TellsWhatDiffers) {
  const auto found = match({epoch(0, 0, 10), epoch(1, 10, 10), epoch(2, 20, 10)},
                           {epoch(0, 0, 10), epoch(1, 10, 8), epoch(2, 18, 12)});
  EXPECT_EQ(found.difference,
            "times of 2 epochs differ, most of all 10.00 s by the hook and 8.00 s by the output in "
            "epoch 1");
  EXPECT_FALSE(
      match({epoch(0, 0, 1), epoch(1, 1, 1)}, {epoch(4, 0, 1), epoch(7, 1, 1)}).same_order);
}

TEST(Merge, TakesTimesOfTheHookAndNumbersAndMetricsOfTheOutput) {
  auto merge = with_hook();
  EXPECT_THAT(merge.add(epochs({epoch(0, 5, 10)}), {}, false).epochs, IsEmpty()) << "which number?";
  auto output = epochs({epoch(3, 0, 15)});
  output.metrics = {{.epoch = 3, .name = "loss", .value = 0.5},
                    {.epoch = 4, .name = "loss", .value = 0.4}};
  const auto rows = merge.add({}, output, false);
  EXPECT_THAT(numbers(rows), ElementsAre(3));
  EXPECT_EQ(rows.epochs[0].wall_s, 10);
  ASSERT_EQ(rows.metrics.size(), 1U) << "epoch 4 is not done";
  const auto more = merge.add(epochs({epoch(1, 15, 10)}), {}, true);
  EXPECT_THAT(numbers(more), ElementsAre(4));
  EXPECT_EQ(more.metrics.size(), 1U);
  EXPECT_EQ(merge.from(), Merge::From::hook);
  EXPECT_EQ(merge.position({.epoch = 1, .epochs_done = 2}, {.epochs = 8}).epochs, 8);
  EXPECT_EQ(merge.position({.epoch = 1, .epochs_done = 2}, {.epochs = 8}).epoch, 4);
}

TEST(Merge, NeedsNoOutputThatTellsEpochs) {
  auto merge = with_hook();
  EXPECT_THAT(numbers(merge.add(epochs({epoch(0, 0, 1)}), {}, false)), IsEmpty());
  EXPECT_THAT(numbers(merge.add(epochs({epoch(1, 1, 1)}), {}, false)), ElementsAre(0, 1));
  EXPECT_THAT(numbers(merge.add(epochs({epoch(2, 2, 1)}), {}, true)), ElementsAre(2));
  EXPECT_EQ(merge.difference(), "");
}

TEST(Merge, GivesTheOutputWhereTheHookKnowsNothing) {
  Merge merge;
  EXPECT_THAT(numbers(merge.add({}, epochs({epoch(0, 0, 1)}), false)), ElementsAre(0));
  EXPECT_THAT(numbers(merge.add(epochs({epoch(0, 5, 1)}), {}, true)), IsEmpty());
  EXPECT_EQ(merge.from(), Merge::From::output);
}

TEST(Merge, LeavesTheEpochsToTheEventsOfTheProgram) {
  auto merge = with_hook();
  merge.leave_to_output();
  EXPECT_THAT(numbers(merge.add(epochs({epoch(0, 0, 1)}), epochs({epoch(5, 0, 1)}), false)),
              ElementsAre(5));
}

TEST(Merge, WaitsWithTheOutputUntilTheHookGivesUp) {
  auto merge = with_hook();
  EXPECT_THAT(numbers(merge.add({}, epochs({epoch(0, 0, 1)}), false)), IsEmpty());
  merge.see({.drops_open = true});
  EXPECT_THAT(numbers(merge.add({}, epochs({epoch(1, 1, 1)}), false)), ElementsAre(0, 1));
}

TEST(Merge, TakesAValueOfAnEpochOnce) {
  auto merge = with_hook();
  auto first = epochs({epoch(0, 0, 1), epoch(1, 1, 1)});
  first.metrics = metric(0, "loss", 0.123456).metrics;
  EXPECT_EQ(merge.add(first, metric(0, "loss", 0.12), false).metrics.size(), 1U);
  EXPECT_EQ(merge.add({}, metric(1, "loss", 0.1), false).metrics.size(), 1U);
  EXPECT_EQ(merge.add({}, metric(1, "loss", 0.9), true).metrics.size(), 0U) << "counts again";
}

TEST(Merge, TellsHowManyEpochsDiffer) {
  auto merge = with_hook();
  merge.add(epochs({epoch(0, 0, 1), epoch(1, 1, 1), epoch(2, 2, 1)}),
            epochs({epoch(0, 0, 1), epoch(1, 1, 1)}), true);
  EXPECT_EQ(merge.difference(),
            "the hook saw 3 epochs, the output tells 2; recorded is what the hook saw");
  EXPECT_EQ(merge.position({.epochs_done = 3}, {.epochs = 2}).epochs, std::nullopt);
}

}  // namespace
}  // namespace epochcast::progress
