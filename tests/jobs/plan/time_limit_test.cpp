#include "jobs/plan/time_limit.hpp"

#include <gtest/gtest.h>

namespace epochcast::jobs {
namespace {

constexpr double minute_s = 60;
constexpr double hour_s = 3600;

TEST(TimeLimit, AShortRunGetsTheSignalsLeadAndAMinute) {
  EXPECT_DOUBLE_EQ(margin_s(10 * minute_s, {120}), 180);
}

TEST(TimeLimit, ALongRunGetsATenth) {
  EXPECT_DOUBLE_EQ(margin_s(10 * hour_s, {120}), hour_s);
}

TEST(TimeLimit, IsRoundedUpAsSlurmCounts) {
  EXPECT_EQ(in_minutes(0.5).value, 60);
  EXPECT_EQ(in_minutes(60).value, 60);
  EXPECT_EQ(in_minutes(60.1).value, 120);
}

/// Every piece of the run must get the limit that a forecast of it would ask for.
TEST(TimeLimit, PiecesFitWithTheirMarginAndWhatComesBeforeEach) {
  for (const double limit_s : {600.0, 3600.0, 86400.0}) {
    for (const double program_s : {700.0, 5e4, 1e6}) {
      for (const double before_s : {0.0, 200.0}) {
        const auto pieces = pieces_for({before_s, program_s}, 1000, {limit_s}, {120});
        ASSERT_GT(pieces.count, 0);
        const double piece_s = before_s + program_s / static_cast<double>(pieces.count);
        EXPECT_LE(piece_s + margin_s(piece_s, {120}), limit_s + 1e-6);
        EXPECT_GE(pieces.count * pieces.epochs, 1000);
      }
    }
  }
}

TEST(TimeLimit, WhatDoesNotFitIsMoreThanOnePiece) {
  for (const double limit_s : {3600.0, 3630.0}) {  // Slurm would round the second up
    for (double program_s = 3000; program_s < 4000; program_s += 0.5) {
      const JobTime most{.before_s = 20, .program_s = program_s};
      const auto wanted = in_minutes(most.total_s() + margin_s(most.total_s(), {120}));
      EXPECT_EQ(pieces_for(most, 10, {limit_s}, {120}).count > 1, wanted.value > limit_s)
          << program_s << " s in " << limit_s << " s";
    }
  }
}

TEST(TimeLimit, TheLeastIsThatOfTheLowerEndOfTheForecast) {
  Cluster cluster;
  cluster.allocations.push_back({.name = "a"});
  ledger::LedgerRow row;
  row.allocation = "a";
  row.low_95_s = 3000;
  row.high_95_s = 3600;
  row.needed_s = 4200;  // start-up and margin too
  row.asked_s = 4200;
  EXPECT_FALSE(least_limit(row, cluster));
  cluster.allocations.front().launch.time_min_by_forecast = true;
  EXPECT_EQ(least_limit(row, cluster)->value, 3600);
  row.low_95_s = row.high_95_s;
  EXPECT_FALSE(least_limit(row, cluster)) << "no shorter";
  row.low_95_s = row.high_95_s = row.needed_s = ledger::not_known;
  EXPECT_FALSE(least_limit(row, cluster));
}

TEST(TimeLimit, ALimitBelowTheSignalsLeadOrTheStartUpHoldsNoPiece) {
  EXPECT_EQ(pieces_for({0, 1000}, 10, {180}, {120}).count, 0);
  EXPECT_EQ(pieces_for({500, 1000}, 10, {600}, {120}).count, 0);
}

}  // namespace
}  // namespace epochcast::jobs
