#include "jobs/local/local_runner.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "jobs/campaign/attempts.hpp"
#include "jobs/campaign/generate.hpp"
#include "jobs/campaign/status.hpp"
#include "jobs/submit/resubmit.hpp"
#include "src/base/core/clock.hpp"
#include "src/base/process/allowed_cpus.hpp"
#include "tests/jobs/scheduler_in_memory.hpp"
#include "tests/jobs/support.hpp"

namespace epochcast::jobs {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using test::TempFolder;
using test::WithVariable;
using testing::AllOf;
using testing::HasSubstr;

class LocalRunnerTest : public testing::Test {
 protected:
  LocalRunnerTest() : out_(folder_ / "out") {
    folder_.write("train", test::fake_trainer, true);
    make("name: x\nsweep: {epochs: [1, 2]}", "cpu1: {cpus: 1}");
  }
  void make(const std::string& experiment, const std::string& allocations) {
    const auto cluster = folder_.write(
        "c.yaml", "scheduler: local\ndefaults: {trainer: ./train, time: 1h}\nallocations:\n  " +
                      allocations + "\n");
    generate({folder_.write("x.yaml", experiment), cluster, out_, {}, {}});
  }
  RunReport run(std::int64_t repeats = 0) {
    said_.clear();
    return run_here({.out = out_, .filters = {}, .repeat_disturbed = repeats},
                    [&](const std::string& line) { said_ += line + "\n"; });
  }
  std::vector<PointStatus> points() const { return status(out_).points; }

  TempFolder folder_;
  std::string out_;
  std::string said_;
};

TEST_F(LocalRunnerTest, RunsEveryPointOnceAndNoneAgain) {
  EXPECT_EQ(run().complete, 2U);
  for (const auto& point : points()) {
    EXPECT_EQ(point.state, PointState::complete);
    EXPECT_THAT(read_file(point.log), HasSubstr("threads 1 resume false"));
  }
  EXPECT_EQ(run().complete, 2U);
  EXPECT_EQ(std::distance(fs::directory_iterator(out_ + "/records"), {}), 2);
}

TEST_F(LocalRunnerTest, AClaimWithoutAJobIsNoClaim) {
  const auto point = points().front().point;
  write_file(fs::path(out_) / "claims" / point, "");
  EXPECT_EQ(run().complete, 2U);
  EXPECT_THAT(said_, HasSubstr(point + ": its claim named no job"));
}

TEST_F(LocalRunnerTest, RepeatsDisturbedPointsOnlyIfAsked) {
  const auto mark = folder_.write("neighbour", "");
  const WithVariable disturbed("FAKE_DISTURBED", mark);
  EXPECT_EQ(run().complete, 2U);
  const auto disturbed_points = [&] {
    return std::ranges::count_if(points(),
                                 [](const auto& point) { return !point.disturbed.empty(); });
  };
  EXPECT_EQ(disturbed_points(), 1);
  EXPECT_THAT(points()[0].disturbed + points()[1].disturbed,
              HasSubstr("another process used 60 % of the 2 CPUs during epoch 1"));
  EXPECT_EQ(run().complete, 2U);
  EXPECT_EQ(disturbed_points(), 1);
  EXPECT_EQ(run(3).complete, 2U);
  EXPECT_THAT(said_, HasSubstr(": was disturbed (another process used 60 % of the 2 CPUs during "
                               "epoch 1): repeats it, 1 of 3\n"));
  EXPECT_THAT(said_, testing::Not(HasSubstr("2 of 3")));
  EXPECT_EQ(disturbed_points(), 0);  // the earlier attempt stays, beside one that was not disturbed
  EXPECT_EQ(std::distance(fs::directory_iterator(out_ + "/records"), {}), 3);
}

TEST_F(LocalRunnerTest, RepeatsWhatIsDisturbedEachTimeOnlyAsOftenAsAsked) {
  const auto mark = folder_.write("neighbour", "");
  const WithVariable disturbed("FAKE_DISTURBED", mark);
  make("name: x", "cpu1: {cpus: 1}");
  folder_.write("neighbour", "stays");
  EXPECT_EQ(run(2).complete, 1U);
  EXPECT_THAT(said_, AllOf(HasSubstr("repeats it, 1 of 2\n"), HasSubstr("repeats it, 2 of 2\n")));
  EXPECT_EQ(std::distance(fs::directory_iterator(out_ + "/records"), {}), 3);
  EXPECT_THAT(points()[0].disturbed, HasSubstr("another process used 60 %"));
}

TEST_F(LocalRunnerTest, ARepeatThatFailsIsCountedAsFailed) {
  const WithVariable disturbed("FAKE_DISTURBED", folder_.write("neighbour", ""));
  make("name: x", "cpu1: {cpus: 1}");
  EXPECT_EQ(run().complete, 1U);
  const WithVariable fail("FAKE_FAIL", "1");
  const auto report = run(1);
  EXPECT_EQ(report.complete, 0U);
  EXPECT_EQ(report.failed, 1U);
}

TEST_F(LocalRunnerTest, PrintsTheSweptValuesBesideThePoint) {
  make("name: x\nmodel: {name: mlp}\nsweep: {model.depth: [2, 3], batch: [8], epochs: [1, 2]}",
       "cpu1: {cpus: 1}");
  std::vector<std::string> swept;
  for (const auto& point : points()) {
    swept.push_back(point.swept);
  }
  EXPECT_THAT(swept, testing::ElementsAre("depth=2", "depth=2", "depth=3", "depth=3"));
  run();
  EXPECT_THAT(said_, HasSubstr(" (depth=3): running, "));
  EXPECT_THAT(said_, HasSubstr(" (depth=3): complete after "));
}

TEST_F(LocalRunnerTest, BindsTheCpusOfTheAllocation) {
  run();
  EXPECT_THAT(read_file(points()[0].log),
              HasSubstr(fmt::format("Cpus_allowed_list:\t{}\n", process::allowed_cpus().front())));
}

TEST_F(LocalRunnerTest, NamesAMissingProgramBeforeAnyPointStarts) {
  fs::remove(folder_ / "train");
  const auto missing =
      "the program '" + (folder_ / "train").string() + "' does not exist or is not executable";
  EXPECT_THAT(error_of([&] { run(); }), HasSubstr("allocation 'cpu1': " + missing));
  EXPECT_EQ(points().front().state, PointState::fresh);
}

TEST_F(LocalRunnerTest, SkipsAllocationsThatThisMachineCannotProvide) {
  make("name: x\nsweep: {epochs: [1, 2]}",
       "cpu1: {cpus: 1}\n  big: {cpus: 9999}\n  many: {cpus: 1, nodes: 2}");
  const auto report = run();
  EXPECT_EQ(report.complete, 2U);
  EXPECT_EQ(report.excluded, 4U);
  EXPECT_THAT(
      said_,
      HasSubstr(fmt::format(
          "allocation 'big' is skipped (2 points): needs 9999 CPUs, this process may use {}\n",
          process::allowed_cpus().size())));
  EXPECT_THAT(said_,
              HasSubstr("allocation 'many' is skipped (2 points): needs 2 nodes, this machine "
                        "is one\n"));
}

TEST_F(LocalRunnerTest, SkipsAnAllocationWithMoreMemoryThanTheMachineHas) {
  make("name: x", "cpu1: {cpus: 1, memory: 1M}\n  huge: {cpus: 1, memory: 4000T}");
  const auto report = run();
  EXPECT_EQ(report.complete, 1U);
  EXPECT_EQ(report.excluded, 1U);
  EXPECT_EQ(report.exit_status(), 0);
  EXPECT_THAT(said_, testing::ContainsRegex("allocation .huge. is skipped .1 point.: needs 4000T "
                                            "of memory, this machine has [0-9]+[MG]\n"));
}

TEST_F(LocalRunnerTest, ARunWithoutAnyRunnablePointFails) {
  make("name: x", "big: {cpus: 9999}\n  many: {cpus: 1, nodes: 2}");
  const auto result =
      process::run_command({EPOCHCAST_BINARY_DIR "/epochcast-jobs", "run", out_}, 60);
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("no point can run here: all 2 are skipped\n"));
}

// On a busy machine a script needs a second until it handles signals.
TEST_F(LocalRunnerTest, AtTheTimeLimitTheTrainerSavesAndTheNextRunResumes) {
  make("name: x", "cpu1: {cpus: 1, time: 6s, signal_lead: 3s}");
  {
    const WithVariable slow("FAKE_TENTHS", "200");
    EXPECT_EQ(run().stopped, 1U);
  }
  EXPECT_EQ(points()[0].state, PointState::stopped);
  EXPECT_EQ(run().complete, 1U);
  EXPECT_THAT(read_file(points()[0].log), HasSubstr("resume true"));
}

TEST_F(LocalRunnerTest, ATrainerThatIgnoresSignalsIsKilledAndMarkedAsLost) {
  make("name: x", "cpu1: {cpus: 1, time: 3s, signal_lead: 100ms, kill_wait: 300ms}");
  const WithVariable slow("FAKE_TENTHS", "600"), deaf("FAKE_STUBBORN", "1");
  const auto report = run();
  EXPECT_EQ(report.failed, 1U);
  EXPECT_THAT(said_, HasSubstr("killed at its time limit (exit 137)"));
  EXPECT_EQ(points()[0].state, PointState::lost);
  EXPECT_EQ(points()[0].reason, "the process is gone");
}

TEST_F(LocalRunnerTest, AFailureDoesNotStopTheRestAndStartsOverNextTime) {
  {
    const WithVariable fail("FAKE_FAIL", "1");
    EXPECT_EQ(run().failed, 2U);
    EXPECT_THAT(said_, HasSubstr("failed (exit 1)"));
    EXPECT_THAT(said_, testing::Not(HasSubstr(" left"))) << "a failure shows no rate";
  }
  EXPECT_EQ(points()[0].reason, "told to");
  EXPECT_EQ(run().complete, 2U);
  EXPECT_THAT(read_file(points()[0].log), HasSubstr("resume false"));
}

TEST_F(LocalRunnerTest, RetryRunsAPointAgainAtOnceAndNoOftenerThanAllowed) {
  make("name: x\nretry: {failed: restart, timeout: resume, attempts: 2}",
       "cpu1: {cpus: 1, time: 6s, signal_lead: 3s}");
  {
    const WithVariable fail("FAKE_FAIL", "1");
    EXPECT_EQ(run().failed, 1U);
    EXPECT_EQ(std::distance(fs::directory_iterator(out_ + "/records"), {}), 2);
    EXPECT_THAT(said_, AllOf(HasSubstr("s, starts over by retry: other\n"),
                             HasSubstr("s, not again by retry: 2 attempts of 2, log ")));
    EXPECT_EQ(run().failed, 1U) << "asked again, it runs once";
    EXPECT_EQ(std::distance(fs::directory_iterator(out_ + "/records"), {}), 3);
  }
}

TEST_F(LocalRunnerTest, RetryGoesOnAfterTheTimeLimit) {
  make("name: x\nretry: {timeout: resume, attempts: 2}",
       "cpu1: {cpus: 1, time: 6s, signal_lead: 3s}");
  const WithVariable slow("FAKE_TENTHS", "200");
  EXPECT_EQ(run().stopped, 1U);
  EXPECT_THAT(said_, AllOf(HasSubstr("stopped at its time limit after "),
                           HasSubstr("s, resumes by retry: time_limit\n"),
                           HasSubstr("s, not again by retry: 2 attempts of 2")));
  EXPECT_THAT(read_file(points()[0].log), HasSubstr("resume true"));
}

TEST_F(LocalRunnerTest, ATaintedPointRunsAgainOnlyOnRequest) {
  {
    const WithVariable taint("FAKE_TAINT", "other partition");
    run();
  }
  EXPECT_EQ(points()[0].tainted, "other partition");
  run();
  EXPECT_EQ(points()[0].tainted, "other partition");
  EXPECT_EQ(resubmit({.out = out_, .filters = {}, .points = {}}, {.tainted = true}).points.size(),
            2U);
  EXPECT_EQ(run().complete, 2U);
  EXPECT_EQ(points()[0].tainted, "");
}

TEST_F(LocalRunnerTest, ARunThatWasKilledBeforeAPointBeganHoldsUpNothing) {
  const auto file = OutFolder(out_).journal();
  Journal journal(file);
  journal.intend({"epochcast-1", iso8601(), {points()[0].point}});
  journal.intend({"epochcast-2", iso8601(), {points()[1].point}});
  journal.submitted("epochcast-2", "local-1-1");
  EXPECT_EQ(run().complete, 2U);
  EXPECT_THAT(Journal(file).open(), testing::IsEmpty());
}

/// A runner in another process.
class OtherRunner {
 public:
  explicit OtherRunner(const std::string& out) : pid_(fork()) {
    if (pid_ == 0) {
      const auto report = run_here({out, {}}, [](const std::string&) {});
      _exit(report.interrupted ? 75 : 0);
    }
  }
  ~OtherRunner() { wait(); }
  OtherRunner(const OtherRunner&) = delete;
  OtherRunner& operator=(const OtherRunner&) = delete;
  void send(int signal) const { kill(pid_, signal); }
  int wait() {
    if (!ended_) {
      waitpid(pid_, &state_, 0);
      ended_ = true;
    }
    return WIFEXITED(state_) ? WEXITSTATUS(state_) : 128 + WTERMSIG(state_);
  }

 private:
  pid_t pid_;
  int state_ = 0;
  bool ended_ = false;
};

bool wait_for_state(const std::string& out, PointState state) {
  for (int i = 0; i < 200; ++i) {
    if (status(out).points[0].state == state) {
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

/// A claim alone counts as running too; the trainer handles signals once its record exists.
bool wait_for_trainer(const std::string& out) {
  for (int i = 0; i < 600; ++i) {
    if (!std::filesystem::is_empty(out + "/records")) {
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

TEST_F(LocalRunnerTest, AnInterruptIsForwardedAndTheRestDoesNotStart) {
  const WithVariable slow("FAKE_TENTHS", "200");
  OtherRunner runner(out_);
  ASSERT_TRUE(wait_for_trainer(out_));
  EXPECT_THAT(error_of([&] { run(); }), HasSubstr("another 'epochcast-jobs run' is active here"));
  runner.send(SIGINT);
  EXPECT_EQ(runner.wait(), 75);
  EXPECT_EQ(points()[0].state, PointState::stopped);
  EXPECT_EQ(points()[1].state, PointState::fresh);
}

TEST_F(LocalRunnerTest, ThePointOfAKilledRunnerRunsUntilItsTrainerEndsAndThenResumes) {
  {
    const WithVariable slow("FAKE_TENTHS", "200");
    OtherRunner runner(out_);
    ASSERT_TRUE(wait_for_trainer(out_));
    runner.send(SIGKILL);
    EXPECT_EQ(runner.wait(), 137);
  }
  EXPECT_TRUE(wait_for_state(out_, PointState::stopped))
      << "the death of the runner reaches the trainer";
  // The last process of the dead run holds the lock for a moment longer.
  for (int i = 0; i < 100 && error_of([&] { run(); }) != ""; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_EQ(points()[0].state, PointState::complete);
  EXPECT_THAT(read_file(points()[0].log), HasSubstr("resume true"));
}

TEST_F(LocalRunnerTest, OfTwoAttemptsInOneSecondTheOneWithTheHigherNumberIsTheLast) {
  for (const auto& [earlier, later] :
       {std::pair{"local-1770000000123-9999", "local-1770000000456-10000"},
        {"local-1770000000123-10000", "local-1770000000456-9999"},
        {"99", "100"}}) {
    for (const auto& job : {earlier, later}) {
      std::ofstream(fmt::format("{}/records/p-{}.jsonl", out_, job)) << fmt::format(
          R"({{"table":"header","schema_version":1,"created_at":"2026-11-21T09:15:02+01:00","point":"p","job_id":"{}"}})"
          "\n",
          job);
    }
    const auto attempts = read_attempts(OutFolder(out_)).at("p");
    EXPECT_EQ(attempts.back().header.job_id, later);
    for (const auto& attempt : attempts) {
      fs::remove(fs::path(attempt.record).replace_extension(".jsonl"));
    }
  }
}

TEST_F(LocalRunnerTest, APointOfASlurmProfileCanRunHere) {
  const auto cluster = folder_.write(
      "s.yaml",
      "scheduler: slurm\nallocations:\n  a: {cpus: 1, memory: 1G, time: 1h, trainer: ./train}\n");
  out_ = folder_ / "slurm-out";
  generate({folder_ / "x.yaml", cluster, out_, {}, {}});
  const WithVariable outer("SLURM_JOB_ID", "99");
  EXPECT_EQ(run().complete, 2U);
}

TEST_F(LocalRunnerTest, WhatTheSchedulerHasStaysThere) {
  const auto cluster = folder_.write(
      "s.yaml",
      "scheduler: slurm\nallocations:\n  a: {cpus: 1, memory: 1G, time: 1h, trainer: ./train}\n");
  out_ = folder_ / "slurm-out";
  const std::string experiment = "name: x\nretry: {failed: restart, attempts: 2}\n";
  generate({folder_.write("x.yaml", experiment + "sweep: {epochs: [1, 2, 3]}"), cluster, out_});
  test::SchedulerInMemory scheduler;
  const InPlaceOfSlurm in_place(scheduler);
  EXPECT_EQ(submit({.out = out_, .filters = {"epochs=2"}}).submitted, 1U);
  const auto point = scheduler.jobs.front().job_name;
  scheduler.becomes("1", slurm::JobState::running);
  for (const auto fault :
       {test::SchedulerInMemory::Fault::none, test::SchedulerInMemory::Fault::down}) {
    const WithVariable fail("FAKE_FAIL", "1");
    scheduler.fault = fault;
    EXPECT_EQ(run().failed, 2U);
    EXPECT_THAT(said_, HasSubstr(point + " is skipped: job 1 of the scheduler has it\n"));
  }
  EXPECT_EQ(scheduler.taken(), 1);
  EXPECT_EQ(std::distance(fs::directory_iterator(out_ + "/records"), {}), 6);

  scheduler.fault = test::SchedulerInMemory::Fault::none;
  EXPECT_EQ(points()[1].state, PointState::running);
  const SubmitRequest request{.out = out_, .filters = {}, .points = {}, .throttle = 1};
  EXPECT_EQ(resubmit(request, {.failed = true}).submitted.submitted, 2U);
  EXPECT_EQ(scheduler.requests[1].after_end, "1") << "no job waits for one that ran here";
}

}  // namespace
}  // namespace epochcast::jobs
