#include "src/forecast/history/history_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/files.hpp"

namespace epochcast::history {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

slurm::AccountedJob job(const std::string& id, double elapsed_s) {
  slurm::AccountedJob job;
  job.job = id;
  job.job_name = "a, \"quoted\" name";
  job.gpus = 2;
  job.started_at = "2026-01-01T00:00:00";
  job.elapsed_s = elapsed_s;
  job.state = slurm::JobState::timeout;
  return job;
}

class HistoryFile : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  std::string out_ = folder_ / "deep/er";
};

TEST_F(HistoryFile, KeepsAJobAsWritten) {
  const auto path = add_to_history(out_, {job("1_2", 12.5)});
  EXPECT_EQ(path, out_ + "/history.csv");
  const auto jobs = read_history(out_);
  ASSERT_THAT(jobs, SizeIs(1));
  EXPECT_EQ(jobs[0].job, "1_2");
  EXPECT_EQ(jobs[0].job_name, "a, \"quoted\" name");
  EXPECT_EQ(jobs[0].gpus, 2);
  EXPECT_EQ(jobs[0].elapsed_s, 12.5);
  EXPECT_EQ(jobs[0].state, slurm::JobState::timeout);
  EXPECT_TRUE(std::isnan(jobs[0].limit_s)) << "not known is not 0";
  EXPECT_THAT(read_history(path), SizeIs(1)) << "by its file too";
}

TEST_F(HistoryFile, TheSameJobAgainReplacesIt) {
  add_to_history(out_, {job("1", 10), job("2", 20)});
  auto later = job("2", 7);
  later.started_at = "2026-01-02T00:00:00";  // another life
  add_to_history(out_, {job("1", 11), later, later});
  const auto jobs = read_history(out_);
  ASSERT_THAT(jobs, SizeIs(3));
  EXPECT_EQ(jobs[0].elapsed_s, 11);
}

TEST_F(HistoryFile, NamesWhatIsNoHistory) {
  EXPECT_THAT(
      error_of([&] { read_history(out_); }),
      HasSubstr("no such history; 'epochcast-analyze import sacct FILE -o DIR' creates one"));
  set_bytes(folder_ / "x.csv", "point,forecast_s\na,1\n");
  EXPECT_THAT(error_of([&] { read_history(folder_ / "x.csv"); }),
              HasSubstr("x.csv:1: is not the header of a history of jobs"));
}

TEST_F(HistoryFile, LeavesOutDamagedLinesAndNeverOverwritesThem) {
  const auto path = add_to_history(out_, {job("1", 10), job("2", 20)});
  set_bytes(path, bytes_of(path) + "torn\n");
  std::vector<std::string> damaged;
  EXPECT_THAT(read_history(path, &damaged), SizeIs(2));
  EXPECT_THAT(damaged, ::testing::ElementsAre(HasSubstr("history.csv:4: found 1 cells")));
  EXPECT_THAT(error_of([&] { add_to_history(out_, {job("3", 1)}); }),
              HasSubstr("remove the line or the file, and import again"));
  EXPECT_THAT(bytes_of(path), HasSubstr("torn"));
}

}  // namespace
}  // namespace epochcast::history
