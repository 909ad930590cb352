// validate memory, on peaks made here: they follow a law, or do not.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/validate/validator.hpp"
#include "tests/analysis/table_parts.hpp"
#include "tests/files.hpp"

namespace epochcast::analysis {
namespace {

using testing::Contains;
using testing::HasSubstr;

table::Table scored(const std::string& text) {
  const TemporaryFolder folder;
  set_bytes(folder / "x.csv", text);
  return validators::all().at("memory").score(CsvFile::read(folder / "x.csv"), {}).front();
}

/// 200 MB, 16 bytes a parameter and 3 MB a sample.
std::string peaks_of(const std::string& network, double parameters) {
  std::string text;
  for (const int batch : {4, 8, 16, 32, 64}) {
    text += fmt::format("{},{},{},{}\n", network, parameters, batch,
                        200e6 + 16 * parameters + 3e6 * batch);
  }
  return text;
}

TEST(ValidateMemory, FindsTheLawBesideSimpleRules) {
  const auto table = scored("network,parameters,batch,peak_bytes\n" + peaks_of("a", 1e6) +
                            peaks_of("b", 5e6) + "c,1e6,8,1e9\nb,1e6,-8,1e9\n");
  EXPECT_DOUBLE_EQ(number(table, "epochcast", "n"), 10) << "one run shows nothing of c";
  EXPECT_LT(number(table, "epochcast", "mean_percent"), 1);
  EXPECT_DOUBLE_EQ(number(table, "epochcast", "covered_95_percent"), 100);
  EXPECT_GT(number(table, "nearest run", "mean_percent"), 8);
  EXPECT_GT(number(table, "16 bytes a parameter", "median_percent"), 70);
  EXPECT_THAT(table.notes, Contains(HasSubstr("1 row left out")));
}

TEST(ValidateMemory, LeavesAllRunsOfASettingOut) {
  const auto table = scored("network,batch,peak_bytes\nx,8,100\nx,8,900\nx,16,500\nx,16,500\n");
  EXPECT_DOUBLE_EQ(number(table, "nearest run", "max_percent"), 400) << "500 for 100";
  EXPECT_DOUBLE_EQ(number(table, "16 bytes a parameter", "refused"), 4);
}

TEST(ValidateMemory, RefusesAFileWithoutTwoSettings) {
  EXPECT_THAT(error_of([] { scored("network,batch,peak_bytes\nx,8,100\ny,4,9\n"); }),
              HasSubstr("no network was run at two settings"));
}

}  // namespace
}  // namespace epochcast::analysis
