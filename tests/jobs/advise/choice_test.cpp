// What is chosen, and what a pilot is said to be worth.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs/advise/advice.hpp"

namespace epochcast::jobs {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// An allocation with a wait and a run of these lengths, each within a tenth.
AdviceRow advice_row(const std::string& name, double wait_s, double run_s, double cpu_price = 1) {
  AdviceRow row;
  row.site.name = name;
  row.site.asks.time = {3600 * 24};
  row.site.prices.currency = "SU";
  row.site.prices.cpu_hour = cpu_price;
  row.run.source = "record";
  row.run.time_s.value = run_s;
  row.run.time_s.interval_80 = {0.9 * run_s, 1.1 * run_s};
  row.run.time_s.interval_95.high = 1.2 * run_s;
  row.run.epochs = 100;
  row.run.recorded_epochs = 2;
  row.wait.chosen = WaitForecast{.source = WaitSource::queue,
                                 .wait_s = {wait_s, {0.9 * wait_s, 1.1 * wait_s}},
                                 .error = {},
                                 .reasons = {}};
  set_limit(row, 1e9);
  set_result(row);
  return row;
}

const AdviceRow& chosen_of(const std::vector<AdviceRow>& rows) {
  return *std::ranges::find_if(rows, &AdviceRow::chosen);
}

TEST(AdviceRow, AddsWaitAndRunAndTheirDistancesInQuadrature) {
  const auto row = advice_row("a", 300, 400);
  EXPECT_EQ(row.result_s->value, 700);
  EXPECT_NEAR(row.result_s->interval_80.low, 700 - 50, 1e-9);
  EXPECT_NEAR(row.result_s->interval_80.high, 700 + 50, 1e-9);
  EXPECT_EQ(row.limit_s, 660) << "480 s, the margin of 180 s, in whole minutes";
  EXPECT_DOUBLE_EQ(*row.money, 400.0 / 3600);
}

TEST(AdviceRow, DividesARunOverTheLimitIntoPiecesThatWaitEach) {
  auto row = advice_row("a", 300, 10000);
  set_limit(row, 3600);
  set_result(row);
  EXPECT_EQ(row.limit_s, 3600);
  EXPECT_EQ(row.pieces.count, 4);  // 12000 s in pieces of 3600 / 1.1 = 3272 s
  EXPECT_EQ(row.result_s->value, 10000 + 4 * 300);
}

TEST(AdviceRow, CountsThePiecesThatFitIntoTheGap) {
  auto row = advice_row("a", 300, 10000);
  row.wait.gap_s = 1800;
  set_result(row);
  EXPECT_EQ(row.gap_pieces.count, 8);  // 12000 s in pieces of 1800 - 180 = 1620 s
  row.wait.gap_s = 120;
  set_result(row);
  EXPECT_EQ(row.gap_pieces.count, 0);
}

TEST(Choice, LeavesOutAnAllocationWithTooLittleMemory) {
  std::vector rows{advice_row("small", 10, 100), advice_row("large", 10, 400)};
  rows[0].site.asks.memory = {4LL << 30};
  rows[1].site.asks.memory = {16LL << 30};
  for (auto& row : rows) {
    row.run.memory_bytes = forecast::Prediction{6e9, {5e9, 7e9}, {4.5e9, 8e9}};
  }
  choose(rows, {});
  EXPECT_EQ(chosen_of(rows).site.name, "large");
  EXPECT_EQ(rows[0].verdict, "needs 5.59 GiB of memory of a node, and asks for 4G");
  rows[0].site.asks.memory = {7LL << 30};
  EXPECT_EQ(too_little_memory(rows[0]), "may need 7.45 GiB of memory of a node, and asks for 7G");
  EXPECT_EQ(too_little_memory(rows[1]), "");
}

TEST(Choice, TakesTheFirstResultAndNamesTheNext) {
  std::vector<AdviceRow> rows{advice_row("slow", 0, 1000), advice_row("fast", 300, 400)};
  const auto text = choose(rows, {});
  EXPECT_EQ(chosen_of(rows).site.name, "fast");
  EXPECT_THAT(text, HasSubstr("choose fast: result in 12m (11m to 13m, 80 %)"));
  EXPECT_THAT(text, HasSubstr("slow is 5m slower"));
}

TEST(Choice, MarksWhatNoOtherBeatsInTimeAndCost) {
  std::vector<AdviceRow> rows{advice_row("cheap", 0, 1000, 1), advice_row("fast", 0, 500, 10),
                              advice_row("bad", 0, 2000, 2)};
  choose(rows, {});
  EXPECT_TRUE(rows[0].pareto);
  EXPECT_TRUE(rows[1].pareto);
  EXPECT_FALSE(rows[2].pareto);
}

TEST(Choice, TakesTheCheapestThatEndsBeforeTheDeadline) {
  std::vector<AdviceRow> rows{advice_row("cheap", 0, 1000, 1), advice_row("fast", 0, 500, 10)};
  EXPECT_THAT(choose(rows, {.deadline_s = 2000}), HasSubstr("choose cheap"));
  rows = {advice_row("cheap", 0, 1000, 1), advice_row("fast", 0, 500, 10)};
  EXPECT_THAT(choose(rows, {.deadline_s = 1050}), HasSubstr("choose fast")) << "1100 s is possible";
  rows = {advice_row("cheap", 0, 1000, 1), advice_row("fast", 0, 500, 10)};
  EXPECT_THAT(choose(rows, {.deadline_s = 100}), HasSubstr("none ends before the deadline"));
}

TEST(Choice, NeverTakesWhatMayCostMoreThanTheBudget) {
  std::vector<AdviceRow> rows{advice_row("cheap", 0, 3600, 1), advice_row("fast", 0, 360, 100)};
  EXPECT_THAT(choose(rows, {.deadline_s = {}, .budget = 2.0}), HasSubstr("choose cheap"));
  EXPECT_THAT(rows[1].verdict, HasSubstr("more than the budget"));
  rows = {advice_row("cheap", 0, 3600, 1)};
  EXPECT_THAT(choose(rows, {.deadline_s = {}, .budget = 1.05}), HasSubstr("no allocation"))
      << "it may take a tenth longer";
}

TEST(Choice, SaysWhatAPilotTellsWhereNothingIsKnown) {
  std::vector<AdviceRow> rows{advice_row("known", 100, 900), advice_row("unknown", 50, 1)};
  rows[1].run = {};
  rows[1].run.detail = "no record";
  rows[1].result_s.reset();
  choose(rows, {});
  EXPECT_EQ(rows[1].verdict, "its run time is not known");
  const auto pilots = worthwhile_pilots(rows);
  ASSERT_THAT(pilots, SizeIs(testing::Ge(1U)));
  EXPECT_THAT(pilots.back(), HasSubstr("a pilot of 10 epochs on unknown (wait 50s)"));
  EXPECT_THAT(pilots.back(), HasSubstr("faster if the run takes less than 16m"));
}

TEST(Choice, FindsNoPilotWorthwhileWhereTheChoiceIsClear) {
  std::vector<AdviceRow> rows{advice_row("fast", 0, 100), advice_row("slow", 0, 10000)};
  choose(rows, {});
  EXPECT_THAT(worthwhile_pilots(rows), IsEmpty());
}

TEST(Choice, ComparesNoTimesWhereADeadlineMadeTheSlowerOneTheChoice) {
  std::vector<AdviceRow> rows{advice_row("cheap", 0, 1000, 1), advice_row("fast", 0, 500, 10)};
  choose(rows, {.deadline_s = 2000});
  EXPECT_THAT(worthwhile_pilots(rows), IsEmpty());
}

TEST(Choice, FindsAPilotWorthwhileWhereTwoAreNear) {
  std::vector<AdviceRow> rows{advice_row("a", 0, 10000), advice_row("b", 0, 10100)};
  choose(rows, {});
  const auto pilots = worthwhile_pilots(rows);
  ASSERT_THAT(pilots, SizeIs(2));
  EXPECT_THAT(pilots[0], HasSubstr("a pilot of 8 epochs on a"));
  EXPECT_THAT(pilots[1], HasSubstr("a pilot of 8 epochs on b"));
}

}  // namespace
}  // namespace epochcast::jobs
