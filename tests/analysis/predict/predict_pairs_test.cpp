#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/analysis/program.hpp"
#include "tests/csv_rows.hpp"
#include "tests/files.hpp"

namespace epochcast::analysis {
namespace {

process::CommandResult pairs(const std::string& text) {
  const TemporaryFolder folder;
  set_bytes(folder / "x.csv", text);
  return analyze({"predict", folder / "x.csv", "--pairs", "--format", "csv"});
}

TEST(PredictPairs, HasEachMethodInBothDirections) {
  const auto answer = pairs("workload,device,time_ms\na,T4,30\na,V100,10\nb,T4,60\n");
  EXPECT_EQ(answer.status, 0) << answer.err;
  const auto rows = csv_rows(answer.out);
  const auto count = [&](const std::string& method) {
    return std::ranges::count_if(rows, [&](auto row) { return row.at("method") == method; });
  };
  EXPECT_EQ(count("specifications"), 2);
  EXPECT_EQ(count("bandwidth ratio"), 2);
  const auto same = csv_row(answer.out, "method", "the same time");
  EXPECT_EQ(same.at("from"), "T4");
  EXPECT_EQ(same.at("forecast_s"), "0.0300");
  EXPECT_EQ(same.at("there_s"), "0.0100");
  EXPECT_EQ(same.at("low_80_s"), "");
  EXPECT_NE(csv_row(answer.out, "method", "specifications").at("low_80_s"), "");
}

TEST(PredictPairs, RefusesATableWithoutPairs) {
  const auto answer = pairs("workload,device,time_ms\na,T4,30\nb,V100,10\n");
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.err, testing::HasSubstr("no workload was measured on two devices"));
}

}  // namespace
}  // namespace epochcast::analysis
