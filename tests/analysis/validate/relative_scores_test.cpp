// Forecasts from runs on other systems, scored: on runs simulated here, and on measured ones where
// these are at hand.
#include "analysis/validate/relative_scores.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/validate/validator.hpp"
#include "tests/analysis/table_parts.hpp"
#include "tests/files.hpp"
#include "tests/shared_data.hpp"

namespace epochcast::analysis {
namespace {

table::Table scored_with_relatives(const std::string& kind, const std::string& path,
                                   std::size_t seen) {
  return validators::all()
      .at(kind)
      .score(CsvFile::read(path), {.seen = {seen}, .relatives = true})
      .front();
}

/// Simulated runs of one benchmark on systems of one submitter each; the first epoch is twice as
/// long everywhere, and on `odd` five times.
std::string simulated_runs(int systems, int odd) {
  std::string text = "repo,path,submitter,system,benchmark,seq,dur_s\n";
  for (int system = 0; system < systems; ++system) {
    for (int run = 0; run < 2; ++run) {
      for (int epoch = 1; epoch <= 10; ++epoch) {
        const double first = system == odd ? 5 : 2;
        text += fmt::format("r,s{0}/{1},s{0},m{0},b,{2},{3}\n", system, run, epoch,
                            (epoch == 1 ? first : 1) * (10 + 0.01 * system));
      }
    }
  }
  return text;
}

TEST(RelativeScores, EachRunIsForecastFromOtherSystemsOnly) {
  const TemporaryFolder folder;
  set_bytes(folder / "x.csv", simulated_runs(5, 0));
  const auto table = scored_with_relatives("epochs", folder / "x.csv", 1);
  const auto name = "relatives, other systems";
  // Its repeat would tell the first epoch of system 0; the other systems are not as slow.
  EXPECT_EQ(number(table, name, "n"), 8);
  EXPECT_EQ(number(table, name, "refused"), 2);
  EXPECT_LT(number(table, name, "max_percent"), 0.01);
  EXPECT_GT(number(table, "epochcast", "mean_percent"), 80);
  const auto all = std::string(name) + ", else without";
  EXPECT_EQ(number(table, all, "n"), 10);
  EXPECT_GT(number(table, all, "max_percent"), 200);
}

TEST(RelativeScores, RunsOfAnotherBenchmarkAreNoRelatives) {
  const TemporaryFolder folder;
  auto text = simulated_runs(1, -1);
  const auto rows = simulated_runs(2, -1);
  for (const auto* other : {"c", "d"}) {
    auto more = rows.substr(rows.find('\n') + 1);
    for (std::size_t at = 0; (at = more.find(",b,", at)) != std::string::npos;) {
      more.replace(at, 3, std::string(",") + other + ",");
    }
    for (std::size_t at = 0; (at = more.find("r,s", at)) != std::string::npos; at += 3) {
      more.replace(at, 3, std::string("r,") + other);
    }
    text += more;
  }
  set_bytes(folder / "x.csv", text);
  const auto table = scored_with_relatives("epochs", folder / "x.csv", 1);
  EXPECT_EQ(number(table, "epochcast", "n"), 10);
  EXPECT_EQ(number(table, "relatives, other systems", "refused"), 2);  // those of b
}

// Issue 21, item 3, on the file at hand: where relatives agree (a third of the runs), one epoch and
// relatives on other systems; two epochs, on all runs. Slow: 15 s.
TEST(SlowRelativeScores, RelativesOnOtherSystemsReplaceEpochsOfPublicLogs) {
  const std::string file = "timing/mlperf/epochs-v1.0-v2.0.csv.gz";
  EPOCHCAST_NEEDS_SHARED_DATA(file);
  const auto one = scored_with_relatives("epochs", shared_data(file), 1);
  EXPECT_LE(number(one, "relatives, other systems, that agree", "mean_percent"), 3);
  EXPECT_GE(number(one, "relatives, other systems, that agree", "n"), 0.3 * 1137);
  EXPECT_LT(number(one, "relatives, other systems, else without", "mean_percent"),
            number(one, "epochcast", "mean_percent"));
  const auto two = scored_with_relatives("epochs", shared_data(file), 2);
  EXPECT_LE(number(two, "relatives, other systems, else without", "mean_percent"), 1.6);
  EXPECT_GE(number(two, "relatives, other systems, else without", "covered_95_percent"), 93);
}

}  // namespace
}  // namespace epochcast::analysis
