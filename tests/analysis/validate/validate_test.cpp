// validate scaling: the table of scores on a file made here, and on measured data where that is at
// hand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "analysis/validate/validator.hpp"
#include "tests/analysis/table_parts.hpp"
#include "tests/files.hpp"
#include "tests/shared_data.hpp"

namespace epochcast::analysis {
namespace {

table::Table scaling_scores(const std::string& path) {
  return validators::all().at("scaling").score(CsvFile::read(path), {}).front();
}

TEST(ValidateScaling, ForecastsTheLargestFromAllSmaller) {
  const TemporaryFolder folder;
  std::string text = "workload,n,throughput\n";
  for (const double n : {1.0, 2.0, 4.0, 8.0}) {
    text += fmt::format("a,{},{}\n", n, n / (1 + 0.2 * (n - 1)));
  }
  set_bytes(folder / "x.csv", text + "b,1,1\nb,2,2\n");
  const auto table = scaling_scores(folder / "x.csv");
  EXPECT_EQ(number(table, "epochcast", "n"), 1);
  EXPECT_LT(number(table, "epochcast", "mean_percent"), 1e-6);
  EXPECT_NEAR(number(table, "linear from the smallest", "mean_percent"), 140, 1e-6);
  EXPECT_LT(number(table, "Amdahl by least squares", "mean_percent"), 1e-6);
}

// The order that the literature leads to expect, on Gavel's measurements of 8 GPUs from 1, 2 and 4.
TEST(ValidateScaling, IsBelowTheSimpleRulesOnMeasuredData) {
  const std::string file = "timing/gavel-throughputs.csv";
  EPOCHCAST_NEEDS_SHARED_DATA(file);
  const auto table = scaling_scores(shared_data(file));
  for (const auto* rival : {"linear from the smallest", "linear from the second",
                            "Amdahl from the two smallest", "Amdahl by least squares"}) {
    for (const auto* figure : {"median_percent", "p90_percent"}) {
      EXPECT_LT(number(table, "epochcast", figure), number(table, rival, figure))
          << rival << ", " << figure;
    }
  }
}

}  // namespace
}  // namespace epochcast::analysis
