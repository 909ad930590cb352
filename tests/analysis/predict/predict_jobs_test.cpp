#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/core/text.hpp"
#include "tests/analysis/program.hpp"
#include "tests/csv_rows.hpp"
#include "tests/files.hpp"

namespace epochcast::analysis {
namespace {

using testing::HasSubstr;

/// 40 jobs, one an hour, that wait 600 s each, run 1000 s and ask for 7200 s, and one that waits.
std::string history_csv() {
  std::string text =
      "job,user,partition,nodes,cpus,gpus,submitted_at,started_at,ended_at,limit_s,elapsed_s,"
      "state\n";
  for (int i = 0; i < 40; ++i) {
    const int submitted_s = 3'600'000 + 3600 * i;
    text += fmt::format("{},u,p,1,4,0,{},{},{},7200,1000,COMPLETED\n", i, submitted_s,
                        submitted_s + 600, submitted_s + 1600);
  }
  return text + "99,u,p,1,4,0,3744000,Unknown,Unknown,7200,0,PENDING\n";
}

std::map<std::string, std::string> last_job(const std::string& what) {
  const TemporaryFolder folder;
  set_bytes(folder / "x.csv", history_csv());
  const auto answer = analyze({"predict", folder / "x.csv", "--jobs", what, "--format", "csv"});
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_EQ(csv_rows(answer.out).size(), 40) << "the one that waits has no batch";
  return csv_row(answer.out, "job", "39");
}

TEST(PredictJobs, TheirWaits) {
  const auto row = last_job("waits");
  EXPECT_EQ(parse_double(row.at("forecast_s")), 600);
  EXPECT_EQ(row.at("batch"), "39");
  EXPECT_FALSE(row.contains("limit_s"));
}

TEST(PredictJobs, TheirRunTimesAndLimits) {
  const auto row = last_job("times");
  EXPECT_EQ(parse_double(row.at("forecast_s")), 1000);
  EXPECT_EQ(parse_double(row.at("limit_s")), 1140) << "1000 s and 10 % in whole minutes";
}

TEST(PredictJobs, NothingElse) {
  const TemporaryFolder folder;
  set_bytes(folder / "x.csv", history_csv());
  const auto answer = analyze({"predict", folder / "x.csv", "--jobs", "ends"});
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.err, HasSubstr("--jobs: found 'ends', expected waits or times"));
}

}  // namespace
}  // namespace epochcast::analysis
