#include "analysis/plot_parts/scoring.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "src/base/core/statistics.hpp"

namespace epochcast::analysis {
namespace {

using forecast::Prediction;

/// The cell under `key`, of the row of `method`.
table::Cell cell(const table::Table& table, const std::string& method, const std::string& key) {
  for (const auto& row : table.rows) {
    if (row[0] == table::Cell(method)) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (table.columns[i].key == key) {
          return row[i];
        }
      }
    }
  }
  ADD_FAILURE() << "no cell " << key << " of " << method;
  return {};
}

double score_of(const table::Table& table, const std::string& method, const std::string& key) {
  return std::get<double>(cell(table, method, key));
}

const std::vector<double> actual{100, 200, 50};

TEST(Scoring, ErrorsAreSharesOfWhatHappened) {
  const auto table =
      score_table("t", "T", actual, {{"m", {Prediction{110}, Prediction{180}, Prediction{50}}}});
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_DOUBLE_EQ(score_of(table, "m", "n"), 3);
  EXPECT_NEAR(score_of(table, "m", "mean_percent"), 20.0 / 3, 1e-12);
  EXPECT_NEAR(score_of(table, "m", "median_percent"), 10, 1e-12);
  EXPECT_NEAR(score_of(table, "m", "max_percent"), 10, 1e-12);
  EXPECT_NEAR(score_of(table, "m", "bias_percent"), 0, 1e-12);
  EXPECT_EQ(cell(table, "m", "covered_80_percent"), table::Cell());
}

TEST(Scoring, CountsWhatTheIntervalsHoldAndTheirWidth) {
  const Prediction inside{100, {90, 110}, {80, 120}};
  const Prediction only_in_95{180, {170, 190}, {150, 210}};
  const auto table = score_table("t", "T", {100, 200}, {{"m", {inside, only_in_95}}});
  EXPECT_DOUBLE_EQ(score_of(table, "m", "covered_80_percent"), 50);
  EXPECT_DOUBLE_EQ(score_of(table, "m", "covered_95_percent"), 100);
  EXPECT_NEAR(score_of(table, "m", "half_width_95_percent"), (20 + 30 / 1.8) / 2, 1e-12);
}

TEST(Scoring, RefusalsAreCountedAndNotScored) {
  const auto table = score_table(
      "t", "T", actual, {{"m", {Prediction{100, {90, 110}}, std::nullopt, Prediction{60}}}});
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_DOUBLE_EQ(score_of(table, "m", "n"), 2);
  EXPECT_DOUBLE_EQ(score_of(table, "m", "refused"), 1);
  EXPECT_DOUBLE_EQ(score_of(table, "m", "mean_percent"), 10);
  EXPECT_DOUBLE_EQ(score_of(table, "m", "covered_80_percent"), 100);
}

TEST(Scoring, ThatEverythingWasRefusedIsALineToo) {
  const auto table = score_table("t", "T", {100}, {{"m", {std::nullopt}}});
  EXPECT_DOUBLE_EQ(score_of(table, "m", "n"), 0);
  EXPECT_DOUBLE_EQ(score_of(table, "m", "refused"), 1);
  EXPECT_EQ(cell(table, "m", "median_percent"), table::Cell());
}

TEST(Scoring, RequiresAForecastForEveryRow) {
  EXPECT_THROW(score_table("t", "T", actual, {{"m", {Prediction{1}}}}), std::logic_error);
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
