#include <gtest/gtest.h>

#include "src/serving/load/service_metrics.hpp"

namespace epochcast::load {
namespace {

/// What the service has said after so many passes of a size, each of 0.5 s.
ServiceMetrics after(const std::map<std::int64_t, double>& passes) {
  ServiceMetrics metrics;
  for (const auto& [inputs, number] : passes) {
    metrics.passes[inputs] = {number, 0.5 * number};
  }
  return metrics;
}

class StagePassesTest : public ::testing::Test {
 protected:
  Stages stages_ = parse_stages("10/s:2.5s,20/s:2s,30/s:1s", "poisson");
  StagePasses passes_{stages_};
};

TEST_F(StagePassesTest, BelongToTheStageInWhichTheyWereAskedFor) {
  passes_.take(0, after({{1, 5}}));
  passes_.take(1, after({{1, 7}}));
  passes_.take(2.5, after({{1, 8}, {4, 1}}));
  passes_.take(3, after({{1, 8}, {4, 3}}));
  passes_.take(4.5, after({{1, 8}, {4, 4}}));
  passes_.take(9, after({{1, 9}, {4, 4}}));
  const auto rows = passes_.rows();
  ASSERT_EQ(rows.size(), 4U);
  const auto expect = [&](std::size_t i, std::int64_t stage, std::int64_t inputs,
                          std::int64_t passes) {
    EXPECT_EQ(rows[i].stage, stage) << i;
    EXPECT_EQ(rows[i].inputs, inputs) << i;
    EXPECT_EQ(rows[i].passes, passes) << i;
    EXPECT_EQ(rows[i].sum_s, 0.5 * static_cast<double>(passes)) << i;
  };
  expect(0, 0, 1, 3);
  expect(1, 0, 4, 1);
  expect(2, 1, 4, 3);
  expect(3, 2, 1, 1);  // the last stage has no end: what was sent in it is answered later
}

TEST_F(StagePassesTest, BelongToNoneIfTheMetricsOfABoundaryDidNotCome) {
  passes_.take(0, after({}));
  passes_.take(2, after({{1, 2}}));
  passes_.take(3, after({{1, 5}}));
  passes_.take(4, after({{1, 6}}));
  const auto rows = passes_.rows();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].stage, record::no_stage);
  EXPECT_EQ(rows[0].passes, 3);
  EXPECT_EQ(rows[1].stage, 0);
  EXPECT_EQ(rows[1].passes, 2);
  EXPECT_EQ(rows[2].stage, 1);
  EXPECT_EQ(rows[2].passes, 1);
}

TEST_F(StagePassesTest, OfAServiceWithoutMetricsAreNone) {
  EXPECT_TRUE(passes_.rows().empty());
  passes_.take(0, {});
  passes_.take(1, {});
  EXPECT_TRUE(passes_.rows().empty());
}

}  // namespace
}  // namespace epochcast::load
