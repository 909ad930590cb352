#include "jobs/plan/time_limit.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "jobs/advise/advice.hpp"
#include "jobs/submit/fill_packs.hpp"

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

TEST(TimeLimit, IsOneForThePlanTheAdviceAndThePack) {
  for (const Seconds lead : {Seconds{10}, {120}, {1800}}) {  // of the site's signal, or the program
    for (const double most_s : {240.0, 1500.0, 5e4, 1e6}) {
      for (const double allowed_s : {1800.0, 36000.0, 2e6}) {
        AllocationProfile profile{.name = "a"};
        profile.asks.time = {allowed_s};
        profile.launch.signal_lead = {30};
        const auto site = with_lead(profile, lead);
        const auto [needed_s, limit, fits] = limit_for(most_s, site);
        EXPECT_GE(needed_s, most_s + std::max({0.1 * most_s, lead.value + 60, 90.0}));

        ledger::LedgerRow planned;
        ask_for_all(planned, site);
        ask_for_limit(planned, {.program_s = most_s}, site, "OUT", false);
        EXPECT_EQ(planned.asked_s, fits ? limit.value : allowed_s);
        EXPECT_EQ(planned.remark.empty(), fits);

        AdviceRow advised{.site = site};
        advised.run.source = "record";
        advised.run.time_s.interval_95.high = most_s;
        set_limit(advised, allowed_s);
        EXPECT_EQ(advised.limit_s, planned.asked_s);
        EXPECT_EQ(advised.pieces.count == 1, fits);

        EXPECT_EQ(fill_packs({{"p", most_s, most_s}}, site).front().limit->value, planned.asked_s);
      }
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
