// epochcast-run as a whole: what it passes on, what it records, what it leaves behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"
#include "src/base/process/command.hpp"
#include "src/record/outcome.hpp"
#include "src/record/queries.hpp"
#include "src/record/reader.hpp"
#include "tests/files.hpp"

namespace epochcast::runner {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class RunnerProgram : public ::testing::Test {
 protected:
  process::CommandResult run(const std::vector<std::string>& options, const std::string& script,
                             const std::map<std::string, std::string>& environment = {}) const {
    std::vector<std::string> words{EPOCHCAST_BINARY_DIR "/epochcast-run",
                                   "--records=" + (folder / "records"),
                                   "--work=" + (folder / "work"), "--point=p"};
    const auto is_telemetry = [](const auto& word) { return word.starts_with("--telemetry="); };
    if (std::ranges::none_of(options, is_telemetry)) {
      words.emplace_back("--telemetry=0s");
    }
    words.insert(words.end(), options.begin(), options.end());
    for (const auto* word : {"--", "sh", "-c", script.c_str()}) {
      words.emplace_back(word);
    }
    auto all = environment;
    all.emplace("EPOCHCAST_JOB_ID", "local-1");
    return process::run_command(words, 300, all);
  }
  record::Record recorded() const { return record::read_record(folder / "records/p-local-1.h5"); }

  TemporaryFolder folder;
};

TEST_F(RunnerProgram, ReportsAtItsEndWhatWasUsedOfWhatTheJobHadAskedFor) {
  const auto asked =
      std::map<std::string, std::string>{{"EPOCHCAST_ASKED", "cpus=8;memory=4G;time=1h"}};
  const auto idle = run({"--telemetry=0.2s"}, "sleep 1.5", asked);
  EXPECT_THAT(idle.err, HasSubstr("epochcast: used "));
  EXPECT_THAT(idle.err, HasSubstr(" of 8 CPUs"));
  EXPECT_THAT(idle.err, HasSubstr("ask next time for time 5m, cpus 1, memory "));
  EXPECT_LE(std::ranges::count(idle.err, '\n'), 6) << idle.err;
  const auto by_hand = run({"--telemetry=0.2s"}, "sleep 0.5", {{"EPOCHCAST_JOB_ID", "local-2"}});
  EXPECT_THAT(by_hand.err, testing::Not(HasSubstr("ask next time")));
}

TEST_F(RunnerProgram, SaysThatOutputWasLost) {
  for (const auto* to : {">/dev/full", ">/dev/full 2>&1"}) {
    const auto lost = process::run_command(
        {"sh", "-c",
         "exec \"$0\" --records=\"$1/records\" --point=p --telemetry=0s -- echo done" +
             std::string(" ") + to,
         EPOCHCAST_BINARY_DIR "/epochcast-run", folder.path()},
        300, {{"EPOCHCAST_JOB_ID", "local-1"}});
    EXPECT_EQ(lost.status, exit_failed);
    EXPECT_EQ(recorded().header.outcome.str(), "complete");
    EXPECT_THAT(recorded().header.note.str(),
                HasSubstr("the rest of the output was lost: standard output: No space left"));
    EXPECT_THAT(lost.err, std::string(to) == ">/dev/full" ? HasSubstr("was lost") : HasSubstr(""));
    fs::remove_all(folder / "records");
  }
  const auto closed = process::run_command(
      {"bash", "-c",
       "\"$0\" --records=\"$1/records\" --point=p --telemetry=0s -- seq 100000 | head -n 1; "
       "exit ${PIPESTATUS[1]}",
       EPOCHCAST_BINARY_DIR "/epochcast-run", folder.path()},
      300, {{"EPOCHCAST_JOB_ID", "local-1"}});
  EXPECT_EQ(closed.out, "1\n");
  EXPECT_THAT(recorded().header.note.str(), testing::Not(HasSubstr("was lost")));
}

TEST_F(RunnerProgram, ReportsTheMemoryThatAKilledProgramHadTaken) {
  const auto ended = run({"--telemetry=0.1s"},
                         "python3 -c 'import os, signal, time; held = b\"x\" * 300_000_000; "
                         "time.sleep(1); os.kill(os.getpid(), signal.SIGKILL)'",
                         {{"EPOCHCAST_ASKED", "memory=1G"}});
  EXPECT_NE(ended.status, 0);
  EXPECT_THAT(ended.err, HasSubstr("of 1.00 GiB"));
  EXPECT_THAT(ended.err, HasSubstr("limited by an error of the program"));
  EXPECT_THAT(ended.err, testing::Not(HasSubstr("memory 1G"))) << "it may have failed early";
}

/// Bytes of every kind: random ones, no UTF-8, NUL, lines of megabytes, bars.
std::string any_bytes() {
  std::mt19937 generator(7);
  std::string bytes;
  for (int i = 0; i < 3'000'000; ++i) {
    bytes += static_cast<char>(generator());
  }
  bytes += std::string(10'000'000, 'x') + "\n";
  for (int i = 0; i < 200'000; ++i) {
    bytes += std::to_string(i) + "/200000 loss: \xff\xc3(\r";
  }
  bytes += "no line feed at the end";
  return bytes;
}

TEST_F(RunnerProgram, AProposedPatternCanBePastedIntoTheShell) {
  set_bytes(folder / "train.sh", R"(for i in 1 2 3 4; do
  printf "it's \$round\t$i of 4  cost=0.%s \"!\"\n" $i
  sleep 0.05
done)");
  run({}, "sh " + (folder / "train.sh"));
  const auto note = recorded().header.note.str();
  const auto begin = note.find("--pattern ");
  const auto end = note.find(", which reads");
  ASSERT_NE(end, std::string::npos) << note;
  const auto pasted = note.substr(begin, end - begin);
  EXPECT_EQ(pasted.find_last_of(" \t"), pasted.find(' ')) << pasted;
  fs::remove_all(folder / "records");
  const auto again = process::run_command(
      {"bash", "-c",
       EPOCHCAST_BINARY_DIR "/epochcast-run --telemetry=0s --point=p --records=" +
           (folder / "records") + " --work=" + (folder / "work") + " " + pasted + " -- sh " +
           (folder / "train.sh")},
      60, {{"EPOCHCAST_JOB_ID", "local-1"}});
  EXPECT_EQ(again.status, 0) << again.err;
  const auto record = recorded();
  EXPECT_THAT(record.metrics, SizeIs(4));
}

TEST_F(RunnerProgram, OutputPassesByteForByteAndApart) {
  const auto bytes = any_bytes();
  set_bytes(folder / "bytes", bytes);
  for (const std::string mode : {"pipe", "auto", "pty"}) {
    const auto result =
        run({"--terminal=" + mode, "--eta=none"}, "cat " + (folder / "bytes") + "; echo told >&2");
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_TRUE(result.out == bytes + (mode == "pty" ? "told\n" : "")) << mode;
    EXPECT_EQ(result.err, mode == "pty" ? "" : "told\n");
    fs::remove_all(folder / "records");
  }
}

TEST_F(RunnerProgram, InputReachesTheProgram) {
  set_bytes(folder / "in", "a\nb\n");
  const auto words = "exec < " + (folder / "in") +
                     "; " EPOCHCAST_BINARY_DIR "/epochcast-run --records=" + (folder / "records") +
                     " --work=" + (folder / "work") + " -- wc -l";
  EXPECT_EQ(trim(process::run_command({"sh", "-c", words}, 60).out), "2");
}

TEST_F(RunnerProgram, AReaderThatGoesAwayEndsTheProgramAsItWouldWithoutUs) {
  for (const std::string mode : {"pipe", "pty"}) {
    const auto words = EPOCHCAST_BINARY_DIR "/epochcast-run --terminal=" + mode +
                       " --records=" + (folder / "records") + " --work=" + (folder / "work") +
                       " --point=" + mode + " -- yes | head -n 1";
    EXPECT_EQ(process::run_command({"sh", "-c", words}, 60).out, "y\n");
  }
}

TEST_F(RunnerProgram, EpochsAndMetricsOfTheOutputAreRecorded) {
  const auto result =
      run({}, "for i in 1 2 3; do sleep 0.05; echo \"Epoch $i/3 loss: 0.$i\"; done");
  EXPECT_EQ(result.status, 0) << result.err;
  const auto record = recorded();
  EXPECT_THAT(record.epochs, SizeIs(3));
  EXPECT_EQ(record::epochs_of(record), 3);
  ASSERT_THAT(record.metrics, SizeIs(3));
  EXPECT_DOUBLE_EQ(record.metrics[2].value, 0.3);
}

TEST_F(RunnerProgram, WithoutProgressTheNoteOfTheRecordSaysSo) {
  EXPECT_EQ(run({}, "echo hello").status, 0);
  EXPECT_THAT(recorded().epochs, IsEmpty());
  EXPECT_FALSE(recorded().header.note.str().empty());
}

TEST_F(RunnerProgram, APilotOfEpochsStopsTheProgramAndIsDone) {
  const auto result = run({"--pilot-epochs=2"},
                          "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do "
                          "echo \"Epoch $i/1000 loss: 0.5\"; sleep 0.2; done; exec sleep 100");
  EXPECT_EQ(result.status, 0) << result.err;
  const auto record = recorded();
  EXPECT_EQ(record.header.outcome.str(), "stopped");
  EXPECT_EQ(record.header.outcome_text.str(), "pilot of 2 epochs done");
  EXPECT_EQ(record.header.pilot_done, 1);
  EXPECT_GE(std::ssize(record.epochs), 2);
}

TEST_F(RunnerProgram, APilotLetsTheProgramEndByItself) {
  const auto result =
      run({"--pilot-epochs=1"},
          "trap 'test -e $EPOCHCAST_STOP_FILE && echo saved; exit 0' TERM; i=0; "
          "while :; do i=$((i+1)); echo \"Epoch $i/1000 loss: 1\"; sleep 0.05; done");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("saved\n"));
}

TEST_F(RunnerProgram, APilotOfATimeStopsTheProgramAndIsDone) {
  const auto result = run({"--pilot-time=200ms"}, "exec sleep 100");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(recorded().header.outcome_text.str(), "pilot of 0.2s done");
}

TEST_F(RunnerProgram, AnOutputThatIsMissingAtTheEndIsAFailure) {
  EXPECT_EQ(run({"--folder=" + folder.path(), "--output=model.pt"}, "touch model.pt").status, 0);
  fs::remove_all(folder / "records");
  const auto result = run({"--output=" + (folder / "none.pt")}, "exit 0");
  EXPECT_EQ(result.status, exit_failed);
  EXPECT_THAT(result.err, HasSubstr("none.pt' is not there after the command has ended"));
  EXPECT_EQ(recorded().header.outcome.str(), "failed");
}

TEST_F(RunnerProgram, TheProgramStartsInItsFolder) {
  EXPECT_EQ(run({"--folder=" + folder.path()}, "pwd").out, folder.path() + "\n");
}

TEST_F(RunnerProgram, TheProgramIsToldWhereToReportAndWhenToStop) {
  const auto told = run({}, "echo $EPOCHCAST_EVENTS; echo $EPOCHCAST_STOP_FILE").out;
  EXPECT_EQ(told, folder / "work/p/events-local-1.jsonl" + "\n" + (folder / "work/p/stop-local-1") +
                      "\n");
  fs::remove_all(folder / "records");
  EXPECT_EQ(run({}, "echo $EPOCHCAST_EVENTS", {{"EPOCHCAST_EVENTS", "/mine"}}).out, "/mine\n");
  fs::remove_all(folder / "records");
  EXPECT_EQ(run({"--events=none"}, "echo $EPOCHCAST_EVENTS").out, "\n");
}

TEST_F(RunnerProgram, TheSignalBeforeTheLimitReachesTheProgramWithTheStopFile) {
  const auto end = std::to_string(std::time(nullptr) + 3);
  const auto result = run({"--checkpoint-signal=USR2", "--checkpoint-lead=2s"},
                          "trap 'cat $EPOCHCAST_STOP_FILE; exit 75' USR2; "
                          "while :; do sleep 0.05; done",
                          {{"SLURM_JOB_END_TIME", end}});
  EXPECT_EQ(result.status, exit_stopped);
  EXPECT_EQ(result.out, "SIGUSR2 2s before the time limit\n");
  EXPECT_FALSE(fs::exists(folder / "work/p/stop-local-1"));
}

/// Epochs of 1 s with a checkpoint at the end of each, and how many of them a file counts.
constexpr const char* saves_each_epoch =
    "trap 'echo asked; exit 75' USR2; i=0; while [ $i -lt 40 ]; do sleep 1 & wait $!; i=$((i+1)); "
    "echo $i >saved; echo \"Epoch $i/40 loss: 1\"; done";

TEST_F(RunnerProgram, BeforeAnEpochThatDoesNotFitTheProgramIsAskedToStop) {
  const auto end = std::to_string(std::time(nullptr) + 15);
  const auto result = run({"--folder=" + folder.path(), "--near-limit=epoch", "--limit-lead=1s",
                           "--checkpoint-signal=USR2", "--checkpoint-lead=1s"},
                          saves_each_epoch, {{"SLURM_JOB_END_TIME", end}});
  EXPECT_EQ(result.status, exit_stopped);
  EXPECT_THAT(result.out, HasSubstr("asked\n"));
  EXPECT_THAT(result.err, HasSubstr("epochcast-run: asks the command to stop: epoch "));
  const auto record = recorded();
  EXPECT_EQ(record.header.outcome.str(), "stopped");
  EXPECT_EQ(record::cause_of(record.header), run::FailureCause::before_limit);
  EXPECT_THAT(record.header.outcome_text.str(), HasSubstr(" of 40 needs up to "));
  EXPECT_EQ(std::to_string(record.epochs.size()) + "\n", read_file(folder / "saved"));
  EXPECT_TRUE(fs::is_empty(folder / "work/p")) << "no stop file stays";
}

TEST_F(RunnerProgram, WithoutTheOptionTheProgramRunsUntilItsSignal) {
  const auto end = std::to_string(std::time(nullptr) + 6);
  const auto result =
      run({"--folder=" + folder.path(), "--checkpoint-signal=USR2", "--checkpoint-lead=1s"},
          saves_each_epoch, {{"SLURM_JOB_END_TIME", end}});
  EXPECT_EQ(result.status, exit_stopped);
  EXPECT_EQ(record::cause_of(recorded().header), run::FailureCause::other);
}

TEST_F(RunnerProgram, ARunThatCannotEndInTimeIsStoppedAfterAnEpochByOption) {
  const auto end = std::to_string(std::time(nullptr) + 20);
  const auto result = run({"--folder=" + folder.path(), "--over-limit=stop", "--limit-lead=1s",
                           "--checkpoint-signal=USR2", "--checkpoint-lead=1s"},
                          saves_each_epoch, {{"SLURM_JOB_END_TIME", end}});
  EXPECT_EQ(result.status, exit_stopped);
  EXPECT_THAT(recorded().header.outcome_text.str(),
              HasSubstr("the run cannot end within its limit: it needs at least "));
  EXPECT_LE(recorded().epochs.size(), 3U);
}

TEST_F(RunnerProgram, AProgramThatAsksBetweenItsEpochsStopsAfterTheLastThatFits) {
  const auto end = std::to_string(std::time(nullptr) + 8);
  const auto result = run({"--near-limit=epoch", "--limit-lead=1s"},
                          "PYTHONPATH=" EPOCHCAST_SOURCE_DIR
                          "/python exec python3 -c \"\n"
                          "import time, epochcast\n"
                          "for epoch in epochcast.epochs(40):\n"
                          "  for batch in epochcast.track(range(20)):\n"
                          "    time.sleep(0.05)\n"
                          "  print('saved', epoch + 1, flush=True)\n"
                          "  if epochcast.should_stop():\n"
                          "    break\n\"",
                          {{"SLURM_JOB_END_TIME", end}});
  EXPECT_EQ(result.status, exit_stopped) << result.err;
  const auto record = recorded();
  EXPECT_EQ(record::cause_of(record.header), run::FailureCause::before_limit);
  EXPECT_THAT(result.out,
              testing::EndsWith("saved " + std::to_string(record.epochs.size()) + "\n"));
  EXPECT_THAT(record.header.outcome_text.str(), HasSubstr(" of 40 epochs done: epoch "));
}

TEST_F(RunnerProgram, AForecastBehindTheLimitIsWarnedOfOnce) {
  const auto end = std::to_string(std::time(nullptr) + 60);
  const auto result =
      run({}, "for i in 1 2 3 4 5 6 7 8; do echo \"Epoch $i/1000 loss: 1\"; sleep 0.4; done",
          {{"SLURM_JOB_END_TIME", end}});
  const auto first = result.err.find("epochcast-run: warning: the job ends in ");
  ASSERT_NE(first, std::string::npos) << result.err;
  EXPECT_EQ(result.err.find("warning", first + 30), std::string::npos) << result.err;
}

TEST_F(RunnerProgram, OfTwoRanksThereIsOneRecordWithTheTelemetryOfBoth) {
  const auto both = process::run_command(
      {"sh", "-c",
       "for rank in 1 0; do RANK=$rank WORLD_SIZE=2 " EPOCHCAST_BINARY_DIR
       "/epochcast-run --telemetry=100ms --point=p --records=" +
           (folder / "records") + " --work=" + (folder / "work") +
           " -- sh -c 'for i in 1 2 3; do sleep 0.2; echo Epoch $i/3 loss: 1; done' & done; wait"},
      60, {{"EPOCHCAST_JOB_ID", "local-1"}});
  EXPECT_EQ(both.status, 0) << both.err;
  const auto record = recorded();
  EXPECT_THAT(record.epochs, SizeIs(3));
  ASSERT_THAT(record.machines, SizeIs(2));
  EXPECT_EQ(record.machines[1].rank, 1);
  std::array<int, 2> samples{};
  for (const auto& row : record.telemetry) {
    ++samples.at(static_cast<std::size_t>(row.rank));
  }
  EXPECT_GT(samples[0], 0);
  EXPECT_GT(samples[1], 0);
  EXPECT_TRUE(fs::is_empty(folder / "work/p"));
}

TEST_F(RunnerProgram, AFailureOfAnotherRankIsThatOfTheRun) {
  const auto both =
      process::run_command({"sh", "-c",
                            "for rank in 1 0; do RANK=$rank WORLD_SIZE=2 " EPOCHCAST_BINARY_DIR
                            "/epochcast-run --point=p --records=" +
                                (folder / "records") + " --work=" + (folder / "work") +
                                " -- sh -c 'exit '$((rank * 4)) & done; wait"},
                           60, {{"EPOCHCAST_JOB_ID", "local-1"}});
  EXPECT_THAT(both.err, HasSubstr("rank 1: the command failed with exit status 4"));
  EXPECT_EQ(recorded().header.outcome.str(), "failed");
}

TEST_F(RunnerProgram, AFileOfAnotherUserIsNoRank) {
  if (geteuid() != 0) {
    GTEST_SKIP() << "needs root";
  }
  const auto run_rank = [&](const std::string& rank) {
    return process::run_command(
        {EPOCHCAST_BINARY_DIR "/epochcast-run", "--point=p", "--records=" + (folder / "records"),
         "--work=" + (folder / "work"), "--", "sh", "-c", "exit " + rank},
        60, {{"EPOCHCAST_JOB_ID", "local-1"}, {"RANK", rank}, {"WORLD_SIZE", "2"}});
  };
  run_rank("1");
  const auto file = folder / "work/p/rank-1-local-1.jsonl";
  ASSERT_EQ(chown(file.c_str(), 1001, 1001), 0);
  run_rank("0");
  EXPECT_EQ(recorded().header.outcome.str(), "complete");
  EXPECT_THAT(recorded().header.note.str(), HasSubstr("no telemetry of rank 1"));
}

TEST_F(RunnerProgram, BadOptionsAreNamedInOneLine) {
  const struct {
    std::string option;
    std::string says;
  } cases[] = {
      {"--checkpoint-signal=USR9", "--checkpoint-signal: found 'USR9', expected a signal"},
      {"--folder=/no/such/folder", "--folder: there is no folder '/no/such/folder'"},
      {"--terminal=tty", "--terminal: found 'tty', expected"},
      {"--progress=tdqm", "tqdm"},
  };
  for (const auto& bad : cases) {
    const auto result = run({bad.option}, "echo started");
    EXPECT_EQ(result.status, exit_bad_input) << bad.option;
    EXPECT_THAT(result.err, HasSubstr(bad.says));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(result.out, "");
  }
}

}  // namespace
}  // namespace epochcast::runner
