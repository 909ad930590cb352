#include "analysis/validate/scoring.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "src/core/statistics.hpp"

namespace epochcast::analysis {
namespace {

/// The cell under `key`, of the row of `method` that holds `rows`.
table::Cell cell(const table::Table& table, const std::string& method, const std::string& rows,
                 const std::string& key) {
  for (const auto& row : table.rows) {
    if (row[0] == table::Cell(method) && row[1] == table::Cell(rows)) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (table.columns[i].key == key) {
          return row[i];
        }
      }
    }
  }
  ADD_FAILURE() << "no cell " << key << " of " << method << ", " << rows;
  return {};
}

double score_of(const table::Table& table, const std::string& method, const std::string& rows,
                const std::string& key) {
  return std::get<double>(cell(table, method, rows, key));
}

const std::vector<ScoredRow> targets{{100, 150}, {200, 150}, {50, 100}};

TEST(Scoring, ErrorsAreSharesOfWhatHappened) {
  const auto table = score_table("t", "T", targets, {{"m", {Guess{110}, Guess{180}, Guess{50}}}});
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_DOUBLE_EQ(score_of(table, "m", "all", "n"), 3);
  EXPECT_NEAR(score_of(table, "m", "all", "mean_percent"), 20.0 / 3, 1e-12);
  EXPECT_NEAR(score_of(table, "m", "all", "median_percent"), 10, 1e-12);
  EXPECT_NEAR(score_of(table, "m", "all", "max_percent"), 10, 1e-12);
  EXPECT_NEAR(score_of(table, "m", "all", "bias_percent"), 0, 1e-12);
  EXPECT_EQ(cell(table, "m", "all", "covered_80_percent"), table::Cell());
}

TEST(Scoring, CountsWhatTheIntervalsHoldAndTheirWidth) {
  const Guess inside{100, Band{90, 110}, Band{80, 120}};
  const Guess only_in_95{180, Band{170, 190}, Band{150, 210}};
  const auto table = score_table("t", "T", {{100, 1}, {200, 1}}, {{"m", {inside, only_in_95}}});
  EXPECT_DOUBLE_EQ(score_of(table, "m", "all", "covered_80_percent"), 50);
  EXPECT_DOUBLE_EQ(score_of(table, "m", "all", "covered_95_percent"), 100);
  EXPECT_NEAR(score_of(table, "m", "all", "half_width_95_percent"), (20 + 30 / 1.8) / 2, 1e-12);
}

TEST(Scoring, ARefusalCountsAndTheNaiveRuleReplacesItAmongAllRows) {
  const auto table =
      score_table("t", "T", targets, {{"m", {Guess{100, Band{90, 110}}, std::nullopt, Guess{50}}}});
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_DOUBLE_EQ(score_of(table, "m", "answered", "n"), 2);
  EXPECT_DOUBLE_EQ(score_of(table, "m", "answered", "refused"), 1);
  EXPECT_DOUBLE_EQ(score_of(table, "m", "answered", "mean_percent"), 0);
  EXPECT_DOUBLE_EQ(score_of(table, "m", "answered", "covered_80_percent"), 100);
  EXPECT_DOUBLE_EQ(score_of(table, "m", "all", "n"), 3);
  EXPECT_NEAR(score_of(table, "m", "all", "mean_percent"), 25.0 / 3, 1e-12);
  EXPECT_EQ(cell(table, "m", "all", "covered_80_percent"), table::Cell());
}

TEST(Scoring, ThatEverythingWasRefusedIsALineToo) {
  const auto table = score_table("t", "T", {{100, 150}}, {{"m", {std::nullopt}}});
  EXPECT_DOUBLE_EQ(score_of(table, "m", "answered", "n"), 0);
  EXPECT_EQ(cell(table, "m", "answered", "median_percent"), table::Cell());
  EXPECT_DOUBLE_EQ(score_of(table, "m", "all", "median_percent"), 50);
}

TEST(Scoring, RequiresAForecastForEveryRow) {
  EXPECT_THROW(score_table("t", "T", targets, {{"m", {Guess{1}}}}), std::logic_error);
}

TEST(Quantile, InterpolatesBetweenRanks) {
  EXPECT_DOUBLE_EQ(quantile({3, 1, 2}, 0.5), 2);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 3, 4}, 0.9), 3.7);
  EXPECT_DOUBLE_EQ(quantile({7}, 0.95), 7);
  EXPECT_DOUBLE_EQ(quantile({1, 2}, 1), 2);
  EXPECT_THROW(quantile({}, 0.5), std::logic_error);
}

}  // namespace
}  // namespace epochcast::analysis
