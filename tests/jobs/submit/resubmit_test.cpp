// The states of submitted jobs, and which of them are submitted again.
#include "jobs/submit/resubmit.hpp"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/core/clock.hpp"
#include "src/base/core/text.hpp"
#include "src/base/process/command.hpp"
#include "src/forecast/efficiency/job_report.hpp"
#include "src/record/outcome.hpp"
#include "src/record/writer.hpp"
#include "tests/five_jobs.hpp"
#include "tests/jobs/fake_slurm.hpp"

namespace epochcast::jobs {
namespace {

namespace fs = std::filesystem;
using test::CampaignTest;
using test::error_of;
using test::running_record;
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

TEST_F(CampaignTest, StatusCombinesQueueAndAccounting) {
  EXPECT_THAT(states(status(out_)), ElementsAre("new", "new", "new", "new"));
  submit_all();
  EXPECT_THAT(states(status(out_)), testing::Each("pending: Priority"));
  scheduler_.queue_is("2|2|RUNNING|1:05|None||t\n3|3|CANCELLED by 0|0:00|None||t\n");
  scheduler_.accounting_is("1|1|NODE_FAIL|9|0:0|0||t\n4|4|FAILED|9|0:53|0||t\n");
  const auto report = status(out_);
  EXPECT_THAT(states(report), ElementsAre("missing: NODE_FAIL", "running", "missing: CANCELLED",
                                          "missing: FAILED, exit 0:53"));
  EXPECT_EQ(report.points[1].progress.elapsed_s, 65);
}

TEST_F(CampaignTest, ARecordOfAVanishedJobIsMarkedAsLostUnlessTheControllerIsSilent) {
  submit_all();
  folder_.write("out/records/p-1.jsonl", running_record(points_[0], "1"));
  write_file(out_ + "/claims/" + points_[0], "1\n");
  scheduler_.fault = Fault::down;
  auto report = status(out_);
  EXPECT_EQ(states(report)[0], "running");
  EXPECT_THAT(report.scheduler_problem, HasSubstr("Unable to contact"));
  scheduler_.fault = Fault::none;
  scheduler_.jobs.clear();
  scheduler_.accounting_is("1|1|TIMEOUT|9|0:0|0||t\n");
  EXPECT_EQ(states(status(out_))[0], "lost: TIMEOUT");
  const auto lines = out_ + "/records/p-1.jsonl";
  EXPECT_EQ(read_file(lines), running_record(points_[0], "1")) << "status() only reads";
  EXPECT_EQ(states(status_with_lost_closed(out_))[0], "lost: TIMEOUT");
  EXPECT_THAT(read_file(lines), HasSubstr(R"("outcome":"lost","outcome_text":"TIMEOUT")"));
}

TEST_F(CampaignTest, AJobThatEndsWhileTheSchedulerIsAskedIsNotTakenForLost) {
  submit_all();
  folder_.write("out/records/p-1.jsonl", running_record(points_[0], "1"));
  write_file(out_ + "/claims/" + points_[0], "1\n");
  // The first two jobs end just before the queue is printed; the second had not even begun before.
  auto ended = running_record(points_[0], "1");
  ended.replace(ended.find("running"), 7, "stopped");
  auto whole = running_record(points_[1], "2");
  whole.replace(whole.find("running"), 7, "complete");
  scheduler_.accounting_is("1|1|FAILED|9|75:0|0||t\n2|2|COMPLETED|9|0:0|0||t\n");
  scheduler_.while_asked = [&] {
    folder_.write("out/records/p-1.jsonl", running_record(points_[0], "1") + ended);
    folder_.write("out/records/p-2.jsonl", whole);
    scheduler_.jobs.clear();
  };
  const auto report = status(out_);
  EXPECT_EQ(report.points[0].state, PointState::stopped);
  EXPECT_EQ(report.points[1].state, PointState::complete);
  EXPECT_THAT(read_file(out_ + "/records/p-1.jsonl"), testing::Not(HasSubstr("lost")));
}

TEST_F(CampaignTest, AnAttemptThatBeginsWhileTheSchedulerIsAskedIsNotTakenForLost) {
  submit_all();
  scheduler_.accounting_is("1|1|FAILED|9|1:0|0||t\n");
  scheduler_.while_asked = [&] {
    folder_.write("out/records/p-99.jsonl", running_record(points_[0], "99"));
    scheduler_.jobs.clear();
  };
  EXPECT_EQ(states(status(out_))[0], "missing: FAILED, exit 1:0");
  EXPECT_THAT(read_file(out_ + "/records/p-99.jsonl"), testing::Not(HasSubstr("lost")));
}

TEST_F(CampaignTest, WithoutAccountingAGoneJobIsStillKnownToBeGone) {
  submit_all();
  scheduler_.jobs.clear();
  folder_.write("out/records/p-1.jsonl", running_record(points_[0], "1"));
  const auto report = status(out_);
  EXPECT_EQ(states(report)[0],
            "lost: the job is gone; the scheduler has no reason for it any more");
  EXPECT_EQ(report.points[1].state, PointState::missing);
}

TEST_F(CampaignTest, ResubmitReleasesTheClaimAndSubmitsAgain) {
  submit_all();
  folder_.write("out/records/p-1.jsonl", running_record(points_[0], "1"));
  write_file(out_ + "/claims/" + points_[0], "1\n");
  scheduler_.jobs.erase(scheduler_.jobs.begin());
  scheduler_.accounting_is("1|1|TIMEOUT|9|0:0|0||t\n");
  const SubmitRequest request{.out = out_, .filters = {}, .points = {}};
  EXPECT_TRUE(resubmit(request, {.failed = true, .missing = true, .tainted = true}).points.empty());
  const auto report = resubmit(request, {.timeout = true});
  EXPECT_EQ(report.submitted.submitted, 1U);
  EXPECT_FALSE(fs::exists(out_ + "/claims/" + points_[0]));
  EXPECT_TRUE(Journal(out_ + "/submissions.jsonl").in_job(points_[0], "1").is_released);
  EXPECT_TRUE(fs::exists(out_ + "/claims/" + points_[0] + ".resume"));
  EXPECT_EQ(states(status(out_))[0], "pending: Priority");
  EXPECT_TRUE(resubmit(request, {.timeout = true}).points.empty()) << "its new job is pending";
}

TEST_F(CampaignTest, WhatWasReleasedAndNotSubmittedIsSubmittedByTheSameCommand) {
  submit_all();
  scheduler_.jobs.clear();
  const SubmitRequest request{.out = out_, .filters = {}, .points = {}};
  const ResubmitFilter missing{.missing = true};
  scheduler_.fault = Fault::kills_caller;
  EXPECT_THROW(std::ignore = resubmit(request, missing), Fault);
  EXPECT_EQ(taken(), 5);
  scheduler_.fault = Fault::none;
  EXPECT_TRUE(resubmit(request, {.failed = true}).points.empty());
  EXPECT_EQ(resubmit(request, missing).submitted.submitted, 3U);
  EXPECT_EQ(taken(), 8);
  EXPECT_TRUE(fs::exists(out_ + "/claims/" + points_[3] + ".resume"));
  EXPECT_TRUE(resubmit(request, missing).points.empty());
}

TEST_F(CampaignTest, NothingIsResubmittedWhileTheControllerIsSilent) {
  submit_all();
  scheduler_.fault = Fault::down;
  EXPECT_THAT(error_of([&] {
                std::ignore =
                    resubmit({.out = out_, .filters = {}, .points = {}}, {.missing = true});
              }),
              HasSubstr("it is not known which jobs have ended"));
}

TEST(Resubmit, EveryEndBelongsToOneOption) {
  using enum PointState;
  using run::FailureCause;
  const auto point = [](PointState state, FailureCause cause, const char* tainted = "") {
    PointStatus status;
    status.state = state;
    status.cause = cause;
    status.tainted = tainted;
    return status;
  };
  EXPECT_TRUE(is_selected(point(failed, FailureCause::other), {.failed = true}));
  EXPECT_FALSE(is_selected(point(failed, FailureCause::time_limit),
                           {.timeout = true, .missing = true, .tainted = true}));
  EXPECT_TRUE(is_selected(point(stopped, FailureCause::other), {.timeout = true}));
  EXPECT_TRUE(is_selected(point(lost, FailureCause::time_limit), {.timeout = true}));
  EXPECT_FALSE(is_selected(point(lost, FailureCause::time_limit), {.missing = true}));
  EXPECT_TRUE(is_selected(point(lost, FailureCause::node_failure), {.missing = true}));
  EXPECT_TRUE(is_selected(point(missing, FailureCause::cancelled), {.missing = true}));
  EXPECT_TRUE(is_selected(point(missing, FailureCause::time_limit), {.timeout = true}));
  EXPECT_TRUE(
      is_selected(point(complete, FailureCause::none, "other partition"), {.tainted = true}));
  EXPECT_FALSE(is_selected(point(complete, FailureCause::none),
                           {.failed = true, .timeout = true, .missing = true, .tainted = true}));
  EXPECT_FALSE(is_selected(point(running, FailureCause::none, "x"),
                           {.failed = true, .timeout = true, .missing = true, .tainted = true}));
}

TEST(Resubmit, AFailedInferenceResumesAndAFailedTrainingStartsOver) {
  const auto point = [](PointState state, run::Task task) {
    PointStatus status;
    status.state = state;
    status.task = task;
    return status;
  };
  EXPECT_TRUE(is_resumable(point(PointState::failed, run::Task::infer)));
  EXPECT_FALSE(is_resumable(point(PointState::failed, run::Task::train)));
  EXPECT_FALSE(is_resumable(point(PointState::failed, run::Task::command)));
  EXPECT_TRUE(is_resumable(point(PointState::lost, run::Task::train)));
  EXPECT_FALSE(is_resumable(point(PointState::complete, run::Task::infer)))
      << "a tainted point starts over";
}

process::CommandResult jobs(std::vector<std::string> words) {
  words.insert(words.begin(), EPOCHCAST_BINARY_DIR "/epochcast-jobs");
  return process::run_command(words, 60);
}

TEST_F(SubmitTest, ResubmitWithoutAnOptionListsTheOptionForEachState) {
  EXPECT_THAT(jobs({"resubmit", out_}).err, HasSubstr("no point can be submitted again"));
  submit_all();
  folder_.write("fake/queue", "");
  folder_.write("fake/accounting",
                "1|1|TIMEOUT|9|0:0|0||t\n2|2|NODE_FAIL|9|0:0|0||t\n3|3|CANCELLED by "
                "0|9|0:0|0||t\n4|4|TIMEOUT|9|0:0|0||t\n");
  const auto listed = jobs({"resubmit", out_});
  EXPECT_EQ(listed.status, 0);
  EXPECT_EQ(listed.out, "--timeout   2 points missing\n--missing   2 points missing\n");
  EXPECT_EQ(status(out_).points[2].cause, run::FailureCause::cancelled);
}

TEST_F(CampaignTest, AnOlderJobOfTheSameNumberIsNotThePoints) {
  submit_all();
  scheduler_.jobs.clear();
  const auto now = std::time(nullptr);
  scheduler_.accounting_is(
      fmt::format("1|1|FAILED|9|3:0|{}|other|\n2|2|TIMEOUT|9|0:0|{}|{}|\n"
                  "3|3|FAILED|9|4:0|{}|{}|\n",
                  now, now, points_[1], now - 1'000'000, points_[2]));
  const auto found = states(status(out_));
  const auto gone = "missing: the job is gone; the scheduler has no reason for it any more";
  EXPECT_EQ(found[0], gone) << "of another name";
  EXPECT_EQ(found[1], "missing: TIMEOUT");
  EXPECT_EQ(found[2], gone) << "submitted before the point was";
}

TEST_F(CampaignTest, ARunningJobOfTheSameNumberAndAnotherNameIsNotThePoints) {
  submit_all();
  scheduler_.queue_is(
      fmt::format("1|1|RUNNING|1:05|None|other|(null)\n2|2|RUNNING|1:05|None|{}|(null)\n"
                  "3|3|RUNNING|1:05|None|other|of another campaign\n",
                  points_[1]));
  const auto report = status(out_);
  EXPECT_EQ(report.points[0].state, PointState::missing);
  EXPECT_EQ(report.points[1].state, PointState::running);
  EXPECT_EQ(report.points[2].state, PointState::missing);
}

TEST_F(CampaignTest, TheAttemptOfTheClaimIsTheNewestAlsoIfTheClockWasSetBack) {
  submit_all();
  scheduler_.jobs.clear();
  const auto record = [&](const std::string& job, const std::string& outcome, int hour) {
    folder_.write(
        "out/records/p-" + job + ".jsonl",
        fmt::format(
            R"({{"table":"header","schema_version":1,"created_at":"2026-11-21T{:02}:00:00+00:00","outcome":"{}","point":"{}","job_id":"{}"}})"
            "\n",
            hour, outcome, points_[0], job));
  };
  record("1", "failed", 10);
  record("5", "complete", 9);
  write_file(out_ + "/claims/" + points_[0], "5\n");
  EXPECT_EQ(status(out_).points[0].state, PointState::complete);
}

TEST_F(CampaignTest, ARunThatOnlySawASignalHasTheCauseThatTheSchedulerKnows) {
  submit_all();
  scheduler_.jobs.clear();
  const auto record = [&](std::size_t point, const std::string& outcome, const std::string& job) {
    folder_.write(
        "out/records/p-" + job + ".jsonl",
        fmt::format(
            R"({{"table":"header","schema_version":1,"created_at":"2026-11-21T09:00:00+00:00","outcome":"{}","cause":"other","outcome_text":"by a signal","point":"{}","job_id":"{}"}})"
            "\n",
            outcome, points_[point], job));
    write_file(out_ + "/claims/" + points_[point], job + "\n");
  };
  record(0, "failed", "1");
  record(1, "stopped", "2");
  scheduler_.accounting_is("1|1|OUT_OF_MEMORY|9|0:125|0||\n2|2|NODE_FAIL|9|0:0|0||\n");
  const auto report = status(out_);
  EXPECT_EQ(report.points[0].cause, run::FailureCause::out_of_memory);
  EXPECT_EQ(report.points[0].reason, "by a signal (OUT_OF_MEMORY)");
  EXPECT_EQ(report.points[1].cause, run::FailureCause::node_failure);
}

TEST_F(SubmitTest, CancelAsksARunningJobToSaveAndLowersItsLimit) {
  submit_all();
  folder_.write("bin/scancel", "#!/bin/bash\necho \"$*\" >>\"$FAKE/cancelled\"\n", true);
  folder_.write("bin/scontrol",
                "#!/bin/bash\ncase $1 in update) echo \"$*\" >>\"$FAKE/updated\" ;; *) printf "
                "'MaxArraySize            = 3\\n' ;; esac\n",
                true);
  folder_.write("bin/squeue",
                fmt::format("#!/bin/bash\ncase \"$*\" in *'-j 1'*) echo '10:30|1:00:00' ;; *) echo "
                            "'1|1|RUNNING|10:30|None|{}|(null)' ;; esac\n",
                            points_[0]),
                true);
  const auto done = jobs({"cancel", out_});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("was running, saves and stops"));
  EXPECT_EQ(read_file(folder_ / "fake/cancelled"), "--batch --signal=USR1 1\n");
  EXPECT_EQ(read_file(folder_ / "fake/updated"), "update JobId=1 TimeLimit=13\n")
      << "10.5 minutes and the lead of the signal, 2";
  EXPECT_EQ(jobs({"cancel", out_, "--now"}).status, 0);
  EXPECT_THAT(read_file(folder_ / "fake/cancelled"), testing::EndsWith("\n1\n"));
}

TEST_F(CampaignTest, AStopNearTheTimeLimitNamesTheLimit) {
  submit_all();
  const auto record = [&](const std::string& finished_at) {
    folder_.write(
        "out/records/p-1.jsonl",
        fmt::format(
            R"({{"table":"header","schema_version":1,"created_at":"2026-11-21T09:00:10+00:00",)"
            R"("finished_at":"{}","outcome":"stopped","outcome_text":"stopped by SIGUSR1",)"
            R"("point":"{}","job_id":"1"}})"
            "\n"
            R"({{"table":"allocation","name":"started_at","got":"2026-11-21T09:00:00"}})"
            "\n"
            R"({{"table":"allocation","name":"time","asked":"1h","got":"1h"}})"
            "\n",
            finished_at, points_[0]));
  };
  write_file(out_ + "/claims/" + points_[0], "1\n");
  scheduler_.jobs.clear();
  record("2026-11-21T09:58:30+00:00");
  auto point = status(out_).points[0];
  EXPECT_EQ(point.reason, "time limit of 1h (stopped by SIGUSR1)");
  EXPECT_EQ(point.cause, run::FailureCause::time_limit);
  record("2026-11-21T09:20:00+00:00");
  point = status(out_).points[0];
  EXPECT_EQ(point.reason, "stopped by SIGUSR1");
  EXPECT_EQ(point.cause, run::FailureCause::other);
  auto origin = read_file(out_ + "/generate.json");
  origin.replace(origin.find("0.0", origin.find("\"checkpoint_lead_s\"")), 3, "2400.0");
  write_file(out_ + "/generate.json", origin);
  EXPECT_EQ(status(out_).points[0].cause, run::FailureCause::time_limit)
      << "the program is told 40 minutes before";
}

TEST_F(SubmitTest, ElementsOfAnArrayHaveTheirNameInTheQueue) {
  const auto report = submit({.out = out_, .filters = {}, .points = {}, .array = true});
  ASSERT_EQ(report.jobs.size(), 2U);
  EXPECT_EQ(report.jobs[1].id, "3") << "the fake numbers jobs by lines";
  EXPECT_EQ(status(out_).points[1].job_name, "1_1");
  EXPECT_THAT(jobs({"status", out_, "--format", "csv"}).out, HasSubstr(",1_1,"));
}

TEST_F(SubmitTest, CancelCancelsJobsAndReportsThoseThatItCannot) {
  EXPECT_THAT(jobs({"cancel", out_}).err, HasSubstr("0 jobs cancelled"));
  submit_all();
  folder_.write("bin/scancel", "#!/bin/bash\necho \"$*\" >>\"$FAKE/cancelled\"\n", true);
  const auto done = jobs({"cancel", out_, "--filter", "allocation=b"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(read_file(folder_ / "fake/cancelled"), "3\n4\n");
  folder_.write("bin/scancel", "#!/bin/bash\necho 'scancel: error: Kill job error' >&2\nexit 1\n",
                true);
  const auto failed = jobs({"cancel", out_});
  EXPECT_EQ(failed.status, 1);
  EXPECT_THAT(failed.err, HasSubstr("job 1 was not cancelled: scancel: error: Kill job error"));
}

TEST_F(SubmitTest, LogsPrintsTheLastLinesOfEachLog) {
  submit_all();
  EXPECT_THAT(jobs({"logs", out_}).err, HasSubstr("no point has a log yet"));
  folder_.write("out/logs/" + points_[0] + "-1.out", "one\ntwo\nthree\n");
  const auto printed = jobs({"logs", out_, "--lines", "2"});
  EXPECT_EQ(printed.status, 0);
  EXPECT_THAT(printed.out, testing::StartsWith("==> " + points_[0] + " (pending) "));
  EXPECT_THAT(printed.out, testing::EndsWith(" <==\ntwo\nthree\n"));
  std::string last;
  for (int line = 0; line < 3000; ++line) {
    last += fmt::format("{} {}\n", line, std::string(30 + line % 7, 'x'));
  }
  folder_.write("out/logs/" + points_[0] + "-1.out", std::string(300'000, 'y') + "\n" + last);
  EXPECT_THAT(jobs({"logs", out_, "--lines", "3000"}).out, testing::EndsWith("<==\n" + last))
      << "more than is read at first";
  EXPECT_THAT(jobs({"logs", out_, "--lines", "3001"}).out, HasSubstr("<==\nyyy"));
  EXPECT_THAT(jobs({"logs", out_, "--lines", "0"}).out, HasSubstr("<==\nyyy"));
}

TEST_F(SubmitTest, AnAllocationThatAnEditRemovedIsNamed) {
  auto text = read_file(out_ + "/cluster.yaml");
  text.replace(text.find("  b:"), 4, "  c:");
  folder_.write("out/cluster.yaml", text);
  const auto result = jobs({"check", out_});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("out/cluster.yaml: has no allocation 'b'; did you mean 'a'?"));
}

TEST_F(SubmitTest, StatusHasTheFormatsOfTables) {
  const auto csv = jobs({"status", out_, "--format", "csv"});
  EXPECT_THAT(csv.out,
              testing::StartsWith("point,swept,state,allocation,cause,reason,job,attempt,elapsed_s,"
                                  "expected_start_at,expected_wait_s,left_s,"));
  EXPECT_THAT(jobs({"status", out_, "--format", "markdown"}).out,
              HasSubstr("| " + points_[0] + " | "));
  EXPECT_THAT(jobs({"status", out_, "--format", "json"}).out,
              testing::StartsWith("{\n \"schema\": \"epochcast-status/1\",\n"));
  EXPECT_THAT(jobs({"status", out_}).out, testing::Not(HasSubstr("tainted")))
      << "a column without a value is not printed";
}

TEST_F(SubmitTest, StatusSaysWhatAnEndedJobUsedAndWhatToAskForNext) {
  submit_all();
  auto made = job_record(many_cpus);
  made.header.point = points_[0];
  record::write_record(out_ + "/records/" + points_[0] + "-1.h5", made);
  auto cut_off = job_record(killed);  // the kernel ended it: its record does not know
  record::set_outcome(cut_off.header, run::Outcome::running);
  cut_off.header.point = points_[1];
  cut_off.header.job_id = "2";
  record::write_record(out_ + "/records/" + points_[1] + "-2.h5", cut_off);
  folder_.write("fake/queue", "");
  folder_.write("fake/accounting", "1|1|COMPLETED|9|0:0|0||t\n2|2|OUT_OF_MEMORY|9|0:125|0||t\n");
  const auto report = status(out_);
  EXPECT_EQ(efficiency::next_text(report.points[1].use.value()), "memory 12G");
  const auto text = jobs({"status", out_}).out;
  EXPECT_THAT(text, HasSubstr(points_[0] + ": used 10m of 1h (17 %), 1.9 of 32 CPUs (6 %)"));
  EXPECT_THAT(text, HasSubstr(points_[1] + ": used 5m of 1h (8 %), 3.8 of 4 CPUs (95 %)"));
  const auto csv = jobs({"status", out_, "--format", "csv"}).out;
  EXPECT_THAT(csv, HasSubstr("\"time 12m, cpus 2, memory 8G\""));
  EXPECT_THAT(csv, HasSubstr("memory: it was ended for lack of it,memory 12G"));
}

TEST_F(SubmitTest, StatusWarnsOfARunThatItsTimeLimitWillCutOff) {
  submit_all();
  record::Record made;
  made.header.created_at = iso8601();
  made.header.outcome = "running";
  made.header.point = points_[0];
  made.header.job_id = "1";
  made.parameters = {{"epochs", "100"}};
  made.allocation = {{.name = "time", .asked = "5m", .got = "5m"}};
  for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
    made.epochs.push_back({.epoch = epoch,
                           .start_s = 20.0 * static_cast<double>(epoch),
                           .wall_s = 20,
                           .samples = 256,
                           .iterations = 1});
  }
  record::write_record(out_ + "/records/p-1.h5", made);
  const auto printed = jobs({"status", out_}).out;
  EXPECT_THAT(printed,
              testing::ContainsRegex(points_[0] +
                                     ": time limit in 0:0[45]:[0-9]+, needs about 0:3[23]:[0-9]+"));
  EXPECT_THAT(printed, HasSubstr("3/100"));
}

TEST_F(SubmitTest, WatchingPrintsPlainLinesWhereThereIsNoTerminal) {
  const auto watched = jobs({"status", out_, "--watch"});
  EXPECT_THAT(watched.out, testing::AllOf(HasSubstr(points_[0]), testing::Not(HasSubstr("\x1b"))));
}

TEST_F(CampaignTest, StatusKnowsTheTask) {
  EXPECT_EQ(status(out_).points.front().task, run::Task::train);
}

}  // namespace
}  // namespace epochcast::jobs
