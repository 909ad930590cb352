// What becomes of submitted jobs, and which of them are submitted once more.
#include "jobs/submit/resubmit.hpp"

#include <gmock/gmock.h>

#include "tests/jobs/fake_slurm.hpp"

namespace epochcast::jobs {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using test::SubmitTest;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> states(const StatusReport& report) {
  std::vector<std::string> states;
  for (const auto& point : report.points) {
    states.push_back(std::string(to_text(point.state)) +
                     (point.reason.empty() ? "" : ": " + point.reason));
  }
  return states;
}

/// The lines of a record as a job that runs has written them.
std::string running_record(const std::string& point, const std::string& job) {
  return fmt::format(
      R"({{"table":"header","schema_version":1,"created_at":"2026-11-21T09:00:00+00:00","outcome":"running","point":"{}","job_id":"{}"}})"
      "\n",
      point, job);
}

TEST_F(SubmitTest, StatusTellsWhatTheQueueAndTheAccountingSay) {
  EXPECT_THAT(states(status(out_)), ElementsAre("new", "new", "new", "new"));
  submit_all();
  EXPECT_THAT(states(status(out_)), testing::Each("pending: Priority"));
  folder_.write("fake/queue", "2|2|RUNNING|1:05|None|x|t\n3|3|CANCELLED by 0|0:00|None|x|t\n");
  folder_.write("fake/accounting", "1|1|NODE_FAIL|9|0:0|0|x|t\n4|4|FAILED|9|0:53|0|x|t\n");
  const auto report = status(out_);
  EXPECT_THAT(states(report), ElementsAre("missing: NODE_FAIL", "running", "missing: CANCELLED",
                                          "missing: FAILED, exit 0:53"));
  EXPECT_EQ(report.points[1].elapsed_s, 65);
}

TEST_F(SubmitTest, ARecordWhoseJobIsGoneIsSettledWithTheReasonButNeverOnSilence) {
  submit_all();
  folder_.write("out/records/p-1.jsonl", running_record(points_[0], "1"));
  write_file(out_ + "/claims/" + points_[0], "1\n");
  mode("down");
  auto report = status(out_);
  EXPECT_EQ(states(report)[0], "running");
  EXPECT_THAT(report.scheduler_problem, HasSubstr("Unable to contact"));
  mode("");
  folder_.write("fake/queue", "");
  folder_.write("fake/accounting", "1|1|TIMEOUT|9|0:0|0|x|t\n");
  EXPECT_EQ(states(status(out_))[0], "lost: TIMEOUT");
  EXPECT_THAT(read_file(out_ + "/records/p-1.jsonl"),
              HasSubstr(R"("outcome":"lost","outcome_text":"TIMEOUT")"));
}

TEST_F(SubmitTest, WithoutAccountingAGoneJobIsStillKnownToBeGone) {
  submit_all();
  folder_.write("fake/queue", "");
  folder_.write("out/records/p-1.jsonl", running_record(points_[0], "1"));
  const auto report = status(out_);
  EXPECT_EQ(states(report)[0], "lost: its job is gone; the scheduler no longer says why");
  EXPECT_EQ(report.points[1].state, PointState::missing);
}

TEST_F(SubmitTest, ResubmitMovesTheDeadClaimAsideAndSubmitsOnceMore) {
  submit_all();
  folder_.write("out/records/p-1.jsonl", running_record(points_[0], "1"));
  write_file(out_ + "/claims/" + points_[0], "1\n");
  const auto queued = queue();
  folder_.write("fake/queue", queued.substr(queued.find('\n') + 1));
  folder_.write("fake/accounting", "1|1|TIMEOUT|9|0:0|0|x|t\n");
  const SubmitRequest request{.out = out_, .filters = {}, .points = {}};
  EXPECT_TRUE(resubmit(request, {.failed = true, .missing = true, .tainted = true}).points.empty());
  const auto report = resubmit(request, {.timeout = true});
  EXPECT_EQ(report.submitted.submitted, 1U);
  EXPECT_TRUE(fs::exists(out_ + "/claims/released/" + points_[0] + ".1"));
  EXPECT_TRUE(fs::exists(out_ + "/claims/" + points_[0] + ".resume"));
  EXPECT_EQ(states(status(out_))[0], "pending: Priority");
  EXPECT_TRUE(resubmit(request, {.timeout = true}).points.empty()) << "its new job waits";
}

TEST_F(SubmitTest, NothingIsResubmittedWhileTheControllerIsSilent) {
  submit_all();
  mode("down");
  EXPECT_THAT(
      error_of([&] { resubmit({.out = out_, .filters = {}, .points = {}}, {.missing = true}); }),
      HasSubstr("no attempt is known to be dead"));
}

TEST(Resubmit, StatesAreDividedAmongTheFlags) {
  const auto point = [](const char* state, const char* reason, const char* tainted = "") {
    PointStatus status{};
    status.state = parse_enum<PointState>(state).value();
    status.reason = reason;
    status.cause = std::string_view(reason) == "TIMEOUT" ? run::FailureCause::time_limit
                                                         : run::FailureCause::other;
    status.tainted = tainted;
    return status;
  };
  EXPECT_TRUE(is_wanted(point("failed", "no GPU"), {.failed = true}));
  EXPECT_FALSE(
      is_wanted(point("failed", "no GPU"), {.timeout = true, .missing = true, .tainted = true}));
  EXPECT_TRUE(is_wanted(point("stopped", "USR1"), {.timeout = true}));
  EXPECT_TRUE(is_wanted(point("lost", "TIMEOUT"), {.timeout = true}));
  EXPECT_FALSE(is_wanted(point("lost", "TIMEOUT"), {.missing = true}));
  EXPECT_TRUE(is_wanted(point("lost", "NODE_FAIL"), {.missing = true}));
  EXPECT_TRUE(is_wanted(point("missing", "CANCELLED"), {.missing = true}));
  EXPECT_TRUE(is_wanted(point("complete", "", "other partition"), {.tainted = true}));
  EXPECT_FALSE(is_wanted(point("complete", ""),
                         {.failed = true, .timeout = true, .missing = true, .tainted = true}));
  EXPECT_FALSE(is_wanted(point("running", "", "x"),
                         {.failed = true, .timeout = true, .missing = true, .tainted = true}));
}

TEST(Resubmit, WhatWasAnsweredBeforeAFailureCountsAndWhatWasTrainedDoesNot) {
  const auto point = [](const char* state, const char* task) {
    PointStatus status{};
    status.state = parse_enum<PointState>(state).value();
    status.task = task;
    return status;
  };
  EXPECT_TRUE(is_resumable(point("failed", "infer")));
  EXPECT_FALSE(is_resumable(point("failed", "train")));
  EXPECT_FALSE(is_resumable(point("failed", "")));
  EXPECT_TRUE(is_resumable(point("lost", "train")));
  EXPECT_FALSE(is_resumable(point("complete", "infer"))) << "tainted: measured anew";
}

TEST_F(SubmitTest, StatusKnowsTheTask) {
  EXPECT_EQ(status(out_).points.front().task, "train");
}

}  // namespace
}  // namespace epochcast::jobs
