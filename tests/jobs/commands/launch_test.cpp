// `epochcast-jobs launch` starts the tasks of a run on one machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "src/base/core/text.hpp"
#include "src/base/process/allowed_cpus.hpp"
#include "tests/jobs/support.hpp"

namespace epochcast::jobs {
namespace {

using testing::HasSubstr;

process::CommandResult launched(const std::vector<std::string>& options,
                                const std::string& script) {
  std::vector<std::string> words{EPOCHCAST_BINARY_DIR "/epochcast-jobs", "launch"};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"--", "bash", "-c", script});
  return process::run_command(words, 120);
}

std::vector<std::string> sorted_lines(const std::string& text) {
  auto lines = split(text, '\n');
  std::erase(lines, "");
  std::sort(lines.begin(), lines.end());
  return lines;
}

TEST(Launch, SetsTheRankOfEveryTask) {
  const auto run = launched({"--tasks=3"}, "echo $RANK $LOCAL_RANK of $WORLD_SIZE at $MASTER_ADDR");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(sorted_lines(run.out),
            (std::vector<std::string>{"0 0 of 3 at 127.0.0.1", "1 1 of 3 at 127.0.0.1",
                                      "2 2 of 3 at 127.0.0.1"}));
  const auto ports = sorted_lines(launched({"--tasks=2"}, "echo $MASTER_PORT").out);
  ASSERT_EQ(ports.size(), 2u);
  EXPECT_EQ(ports[0], ports[1]);
}

TEST(Launch, BindsEveryTaskToCpusOfItsOwn) {
  const auto cpus = process::allowed_cpus();
  const auto tasks = std::min<std::size_t>(cpus.size(), 2);
  std::vector<std::string> expected;
  for (std::size_t i = 0; i < tasks; ++i) {
    expected.push_back(fmt::format("{}: {}", i, cpus[i]));
  }
  const auto run =
      launched({fmt::format("--tasks={}", tasks), "--cpus-per-task=1"},
               "echo $RANK: $(awk '/Cpus_allowed_list/ {print $2}' /proc/self/status)");
  EXPECT_EQ(sorted_lines(run.out), expected) << run.err;
  const auto refused = launched({"--tasks=4000", "--cpus-per-task=2"}, "true");
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err,
              HasSubstr("4000 tasks on 2 CPUs each need 8000 CPUs, this process may use "));
}

TEST(Launch, RequiresTheNumberOfTasks) {
  const auto run = launched({}, "true");
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("--tasks is missing; expected epochcast-jobs launch --tasks=N"));
  EXPECT_EQ(launched({"--tasks=0"}, "true").err,
            "epochcast-jobs: error: --tasks: found '0', expected a value in 1..4096\n");
  EXPECT_EQ(launched({"--tasks=100000"}, "true").err,
            "epochcast-jobs: error: --tasks: found '100000', expected a value in 1..4096\n");
}

TEST(Launch, ReturnsTheStatusOfATaskThatFailed) {
  EXPECT_EQ(launched({"--tasks=3"}, "exit $((RANK == 1 ? 7 : 0))").status, 7);
  EXPECT_EQ(launched({"--tasks=3"}, "exit $((RANK == 1 ? 1 : 75))").status, 1);
  EXPECT_EQ(launched({"--tasks=3"}, "exit 75").status, 75);
  EXPECT_EQ(
      launched({"--tasks=2"}, "[ $RANK = 1 ] || sleep 0.5; exit $((RANK == 1 ? 1 : 2))").status, 2);
}

TEST(Launch, ReportsWhichTaskASignalEnded) {
  const auto run = launched({"--tasks=2"}, "[ $RANK = 0 ] || kill -KILL $$");
  EXPECT_EQ(run.status, 128 + 9);
  EXPECT_THAT(run.err, HasSubstr("rank 1 (process "));
  EXPECT_THAT(run.err, HasSubstr("was ended by SIGKILL"));
  const auto nameless = launched({"--tasks=1"}, "kill -34 $$");
  EXPECT_EQ(nameless.status, 128 + 34);
  EXPECT_THAT(nameless.err, HasSubstr("was ended by signal 34"));
}

TEST(Launch, ATaskThatSucceedsOrStopsEarlyDoesNotEndTheOthers) {
  for (const auto* status : {"0", "75"}) {
    const auto run = launched({"--tasks=2", "--patience=200ms"},
                              fmt::format("[ $RANK = 0 ] || sleep 2.5; exit {}", status));
    EXPECT_EQ(std::to_string(run.status), status);
    EXPECT_EQ(run.err, "");
  }
}

TEST(Launch, AfterAFailureTheOtherTasksAreKilledWithAReason) {
  const auto run =
      launched({"--tasks=2", "--patience=500ms"}, "[ $RANK = 1 ] || exit 3; exec sleep 60");
  EXPECT_EQ(run.status, 3);
  EXPECT_EQ(run.err, "epochcast-jobs: rank 1 was killed: rank 0 failed 0.5 s earlier\n");
  EXPECT_THAT(
      launched({"--tasks=2", "--patience=200ms"}, "[ $RANK = 1 ] || kill -SEGV $$; exec sleep 60")
          .err,
      HasSubstr("rank 1 was killed: rank 0 failed 0.2 s earlier\n"));
}

/// Tasks that ignore signals; rank 0 runs `script` once both have started.
process::CommandResult hanging(const std::string& patience, const std::string& script,
                               const std::string& lasts_s = "30") {
  const test::TempFolder folder;
  const auto ready = (folder / "ready").string();
  return launched({"--tasks=2", "--patience=" + patience},
                  "trap '' TERM INT USR1; echo >>" + ready + "; until [ $(wc -l <" + ready +
                      ") = 2 ]; do sleep 0.1; done; [ $RANK = 1 ] || { " + script +
                      "; }; exec sleep " + lasts_s);
}

TEST(Launch, ATaskThatIgnoresASignalIsKilled) {
  const auto run = hanging("500ms", "kill -TERM $PPID");
  EXPECT_EQ(run.status, 128 + 9);
  EXPECT_EQ(sorted_lines(run.err),
            (std::vector<std::string>{
                "epochcast-jobs: rank 0 was killed: it still ran 0.5 s after SIGTERM",
                "epochcast-jobs: rank 1 was killed: it still ran 0.5 s after SIGTERM"}));
}

TEST(Launch, ASecondSignalKillsAtOnceButOneThatArrivesTwiceDoesNot) {
  const auto twice = hanging("20s", "kill -TERM $PPID; sleep 1.5; kill -INT $PPID");
  EXPECT_EQ(twice.status, 128 + 9);
  EXPECT_THAT(twice.err, HasSubstr("rank 1 was killed: SIGINT came a second time\n"));
  const auto once = hanging("20s", "kill -TERM $PPID; sleep 0.2; kill -TERM $PPID", "2.5");
  EXPECT_EQ(once.status, 0);
  EXPECT_EQ(once.err, "");
}

TEST(Launch, Usr1IsOnlyForwarded) {
  const auto run = hanging("200ms", "kill -USR1 $PPID; sleep 1.5; kill -USR1 $PPID", "3");
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.err, "");
}

TEST(Launch, PatienceIsADuration) {
  const auto run = launched({"--tasks=1", "--patience=long"}, "true");
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("--patience: found 'long', expected "));
}

TEST(Launch, ForwardsSignalsToAllTasks) {
  const test::TempFolder folder;
  const auto ready = (folder / "ready").string();
  const auto run =
      launched({"--tasks=2"}, "trap 'exit 75' USR1; echo >>" + ready +
                                  "; if [ $RANK = 0 ]; then until [ $(wc -l <" + ready +
                                  ") = 2 ]; do sleep 0.1; done; kill -USR1 $PPID; fi; "
                                  "while :; do sleep 0.1; done");
  EXPECT_EQ(run.status, 75) << run.err;
}

TEST(Launch, NamesAProgramThatDoesNotExist) {
  const auto run = process::run_command(
      {EPOCHCAST_BINARY_DIR "/epochcast-jobs", "launch", "--tasks=1", "--", "no-such-program"}, 60);
  EXPECT_EQ(run.status, 127);
  EXPECT_THAT(run.err, HasSubstr("no-such-program: cannot be started: No such file or directory"));
  EXPECT_EQ(
      process::run_command(
          {EPOCHCAST_BINARY_DIR "/epochcast-jobs", "launch", "--tasks=none", "--", "true"}, 60)
          .status,
      2);
}

}  // namespace
}  // namespace epochcast::jobs
