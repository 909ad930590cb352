// validate: the tables of scores on files made here, and on measured data where that is at hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/validator.hpp"
#include "tests/files.hpp"
#include "tests/shared_data.hpp"

namespace epochcast {
namespace {

using testing::HasSubstr;

Table scored(const std::string& kind, const std::string& path, std::size_t seen) {
  return validators::all().at(kind).score(CsvFile::read(path), {.seen = {seen}}).front();
}

double number(const Table& table, const std::string& method, const std::string& key) {
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[0] == Cell(method) && table.columns[i].key == key) {
        return std::get<double>(row[i]);
      }
    }
  }
  ADD_FAILURE() << "no " << key << " of " << method;
  return 0;
}

TEST(ValidateEpochs, TakesWholeRunsOfEpochsThatDoNotOverlap) {
  const TemporaryFolder folder;
  std::string text = "path,benchmark,kind,seq,start_ms,dur_s\n";
  const auto add = [&](const std::string& run, const std::string& kind, int epochs, int step_ms) {
    for (int i = epochs; i > 0; --i) {  // rows need no order
      text += run + ",b," + kind + "," + std::to_string(i) + "," + std::to_string(i * step_ms) +
              "," + (i == 1 ? "2" : "1") + "\n";
    }
  };
  add("good", "epoch", 5, 2000);
  add("short", "epoch", 4, 2000);
  add("overlapping", "epoch", 5, 900);
  add("blocks", "block", 5, 2000);
  text += "broken,b,epoch,1,0,none\n";
  set_bytes(folder / "x.csv", text);
  const auto table = scored("epochs", folder / "x.csv", 1);
  EXPECT_DOUBLE_EQ(number(table, "N x first", "n"), 1);
  EXPECT_NEAR(number(table, "N x first", "mean_percent"), 100 * (10.0 - 6) / 6, 1e-9);
  EXPECT_THAT(table.notes, testing::Contains(HasSubstr("1 row left out; the first: ")));
}

// The figures of the simple rules on this file are known from elsewhere (prediction.md 8).
TEST(ValidateEpochs, ItsRivalsScoreWhatWasComputedOfThemBefore) {
  const std::string file = "timing/mlperf/epochs-v1.0-v2.0.csv.gz";
  EPOCHCAST_NEEDS_SHARED_DATA(file);
  const auto table = scored("epochs", shared_data(file), 2);
  EXPECT_DOUBLE_EQ(number(table, "N x first", "n"), 1137);
  EXPECT_NEAR(number(table, "N x first", "mean_percent"), 15.6, 0.05);
  EXPECT_NEAR(number(table, "N x first", "median_percent"), 3.47, 0.005);
  EXPECT_NEAR(number(table, "N x first", "p95_percent"), 69.2, 0.05);
  EXPECT_NEAR(number(table, "first + (N-1) x second", "mean_percent"), 2.07, 0.005);
  EXPECT_NEAR(number(table, "first + (N-1) x second", "p95_percent"), 9.92, 0.005);
}

}  // namespace
}  // namespace epochcast
