#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/forecast/run/forecast.hpp"
#include "tests/analysis/program.hpp"
#include "tests/csv_rows.hpp"
#include "tests/files.hpp"

namespace epochcast::analysis {
namespace {

using testing::HasSubstr;

process::CommandResult each_of(const TemporaryFolder& folder, const std::string& text,
                               std::vector<std::string> options = {}) {
  set_bytes(folder / "x.csv", text);
  options.insert(options.begin(), {"predict", folder / "x.csv", "--format", "csv"});
  return analyze(options);
}

TEST(PredictEach, IsTheForecastOfTheUnitsSeen) {
  const TemporaryFolder folder;
  const auto answer =
      each_of(folder, "path,dur_s\na,12\na,10\na,11\na,10\nb,5\n", {"--each", "2", "--each", "3"});
  EXPECT_EQ(answer.status, 0) << answer.err;
  const auto expected = std::get<forecast::Forecast>(
      forecast::forecast({.step_s = {12, 10, 11}, .steps_per_epoch = 1, .epochs = 4}));
  const auto row = csv_row(answer.out, "seen", "3");
  EXPECT_EQ(row.at("path"), "a");
  EXPECT_EQ(row.at("units"), "4");
  EXPECT_EQ(row.at("forecast_s"), fmt::format("{:.1f}", expected.total_s.value));
  EXPECT_EQ(row.at("high_95_s"), fmt::format("{:.1f}", expected.total_s.interval_95.high));
  EXPECT_EQ(csv_row(answer.out, "seen", "2").at("forecast_s"), "42.0");
  EXPECT_THAT(answer.out, testing::Not(HasSubstr("b,"))) << "it has no more than was seen";
}

TEST(PredictEach, TakesStartUpPausesAndWork) {
  const TemporaryFolder folder;
  std::string text = "path,dur_s,pause_s,work,unit\n";
  for (int i = 0; i < 10; ++i) {
    text += fmt::format("epochs,10,{},1,\nblocks,{},{},{},block\n", i == 0 ? 20 : 1,
                        i == 0 ? 10 : 5, i == 0 ? 0 : 1, i == 0 ? 200 : 100);
  }
  const auto answer = each_of(folder, text + "bad,-1,0,1,\n", {"--each", "3"});
  EXPECT_EQ(csv_row(answer.out, "path", "epochs").at("forecast_s"), "130.0") << "a pause follows";
  EXPECT_EQ(csv_row(answer.out, "path", "blocks").at("forecast_s"), "64.0");
}

TEST(PredictEach, FromRunsApartOnlyOfTheSameProgram) {
  const TemporaryFolder folder;
  std::string text = "path,benchmark,system,dur_s\n";
  for (const auto* run : {"a,x,s", "b,x,t", "c,x,u", "d,y,s"}) {
    for (int i = 0; i < 10; ++i) {
      text += fmt::format("{},{}\n", run, i == 0 ? 30 : 10);
    }
  }
  const auto answer = each_of(folder, text, {"--each", "1", "--apart", "system"});
  EXPECT_EQ(csv_row(answer.out, "apart", "system").at("forecast_s"), "120.0");
  EXPECT_EQ(csv_row(answer.out, "apart", "system").at("agree"), "yes");
  EXPECT_EQ(csv_row(answer.out, "path", "d").at("apart"), "");
  EXPECT_THAT(answer.out, testing::Not(HasSubstr("d,,10,1,system")));
}

TEST(PredictEach, RefusesNumbersAndColumnsThatAreNone) {
  const TemporaryFolder folder;
  EXPECT_THAT(each_of(folder, "path,dur_s\na,1\n", {"--each", "0"}).err,
              HasSubstr("--each: found '0', expected a whole number of at least 1"));
  EXPECT_THAT(each_of(folder, "path,seconds\na,1\n", {"--each", "1"}).err,
              HasSubstr("no column 'dur_s'"));
}

}  // namespace
}  // namespace epochcast::analysis
