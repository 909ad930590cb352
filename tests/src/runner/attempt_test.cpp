#include "src/runner/attempt.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "src/base/core/text.hpp"
#include "src/base/process/allowed_cpus.hpp"
#include "src/base/process/command.hpp"
#include "src/measure/attempt/start.hpp"
#include "src/measure/telemetry/disturbance.hpp"
#include "src/record/queries.hpp"
#include "src/record/reader.hpp"
#include "tests/files.hpp"
#include "tests/thrown.hpp"

namespace epochcast::runner {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class CommandAttemptTest : public ::testing::Test {
 protected:
  CommandAttemptTest() {
    output.point = "point";
    output.records = folder / "records";
    output.work = folder / "work";
  }
  ~CommandAttemptTest() override { fs::remove_all(folder); }

  /// Runs `script` in a shell, whose $RUNNER is this process, and reads the record.
  record::Record run(const std::string& script) {
    return run_words({"sh", "-c", "RUNNER=" + std::to_string(getpid()) + "; " + script});
  }

  record::Record run_words(const std::vector<std::string>& words) {
    CommandAttempt attempt{.command = words, .options = options, .output = output, .start = start};
    attempt.start.header.job_id = "job" + std::to_string(++runs);
    error.clear();
    try {
      status = run_command_attempt(attempt, clock, hold_signals());
    } catch (const Error& thrown) {
      status = thrown.status();
      error = thrown.what();
    }
    return record::read_record(attempt::record_path(output, attempt.start.header));
  }

  const fs::path folder =
      fs::temp_directory_path() / ("epochcast-command-" + std::to_string(getpid()));
  const SteadyClock clock;
  record::Record start;
  RunnerOptions options;
  run::RunOutput output;
  int runs = 0;
  int status = exit_done;
  std::string error;
};

TEST_F(CommandAttemptTest, TheScheduleThatTheProgramPrintsIsAParameter) {
  const auto record =
      run("echo 'save_interval ........ 500'; printf 'eval_int'; sleep 0.2; "
          "echo 'erval ........ 1000'");
  EXPECT_EQ(record::parameter(record, "save_interval"), "500");
  EXPECT_EQ(record::parameter(record, "eval_interval"), "1000");
}

TEST_F(CommandAttemptTest, TheEndOfTheCommandIsTheOutcomeOfTheRecord) {
  const struct {
    std::string script;
    std::string outcome;
    std::string text;
    int status;
  } cases[] = {
      {"exit 0", "complete", "", exit_done},
      {"exit 75", "stopped", "the command stopped early with exit status 75", exit_stopped},
      {"exit 3", "failed", "the command failed with exit status 3", 3},
      {"kill -KILL $$", "failed", "the command was ended by SIGKILL", 137},
      {"trap 'exit 75' USR1; kill -USR1 $RUNNER; while :; do sleep 0.01; done", "stopped",
       "the command stopped early with exit status 75 after SIGUSR1", exit_stopped},
      {"trap 'exit 1' TERM; kill -TERM $RUNNER; while :; do sleep 0.01; done", "failed",
       "the command failed with exit status 1 after SIGTERM", exit_failed},
      {"trap 'exit 0' USR1; kill -USR1 $RUNNER; while :; do sleep 0.01; done", "complete", "",
       exit_done},
      {"kill -TERM $RUNNER; exec sleep 60", "stopped", "the command was ended by SIGTERM",
       exit_stopped},
  };
  for (const auto& expected : cases) {
    const record::Record record = run(expected.script);
    EXPECT_EQ(record.header.outcome.str(), expected.outcome) << expected.script;
    EXPECT_EQ(record.header.outcome_text.str(), expected.text) << expected.script;
    EXPECT_EQ(status, expected.status) << expected.script;
    EXPECT_EQ(error, expected.outcome == "failed" ? expected.text : "") << expected.script;
  }
}

/// Sends SIGTERM to this process once the process whose number is in `file` has ended.
pid_t signal_after_end_of(const std::string& file) {
  signal(SIGTERM, [](int) {});  // a signal that comes too late fails the test, not the process
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    pid_t program = 0;
    while (!(std::ifstream(file) >> program) || kill(program, 0) == 0) {
      usleep(2000);
    }
    kill(parent, SIGTERM);
    _exit(0);
  }
  return child;
}

/// scancel signals the program before this process as often as after it.
TEST_F(CommandAttemptTest, AStopThatReachesTheProgramFirstIsAStop) {
  fs::create_directories(folder);
  const auto file = (folder / "pid").string();
  for (const auto& [script, text] :
       {std::pair<std::string, std::string>{"kill -TERM $$", "the command was ended by SIGTERM"},
        {"exit 143", "the command stopped early with exit status 143 after SIGTERM"},
        {"exit 0", "the command ended after SIGTERM, with 0 of 9 epochs done"}}) {
    start.parameters = {{"epochs", "9", "integer", "1"}};
    fs::remove(file);
    const pid_t child = signal_after_end_of(file);
    const record::Record record = run("echo $$ >" + file + "; " + script);
    waitpid(child, nullptr, 0);
    EXPECT_EQ(record.header.outcome.str(), "stopped") << script;
    EXPECT_EQ(record.header.outcome_text.str(), text);
    EXPECT_EQ(status, exit_stopped) << script;
  }
  signal(SIGTERM, SIG_DFL);
  start = {};
  EXPECT_EQ(run("kill -TERM $$").header.outcome.str(), "failed") << "nobody asked this process";
}

/// A stop may come by several signals, as by the script and by Slurm.
TEST_F(CommandAttemptTest, AnySignalToStopAfterARequestIsAStop) {
  const auto record = run(
      "trap 'exit 143' TERM; trap : USR1; kill -USR1 $RUNNER; sleep 0.1; kill -TERM $$; sleep 9");
  EXPECT_EQ(record.header.outcome_text.str(),
            "the command stopped early with exit status 143 after SIGUSR1");
  EXPECT_EQ(status, exit_stopped);
}

TEST_F(CommandAttemptTest, AProgramThatSavesAndEndsWithStatusZeroBeforeItsLastEpochIsStopped) {
  const std::string epochs =
      "for i in 1 2 3 4; do echo \"Epoch $i/$N loss=0.$i\"; sleep 0.15; done; ";
  const auto asked = "trap 'exit 0' USR1; N=9; " + epochs + "kill -USR1 $RUNNER; sleep 1; exit 1";
  EXPECT_THAT(run(asked).header.outcome_text.str(),
              testing::MatchesRegex("the command ended after SIGUSR1, with [34] of 9 epochs done"));
  EXPECT_EQ(status, exit_stopped);
  const auto at_once =
      "trap 'exit 0' USR1; kill -USR1 " + std::to_string(getpid()) + "; sleep 1; exit 1";
  start.parameters.push_back({"epochs", "9", "integer", "1"});
  EXPECT_EQ(run(at_once).header.outcome_text.str(),
            "the command ended after SIGUSR1, with 0 of 9 epochs done");
  start = {};
  EXPECT_EQ(run("N=9; " + epochs).header.outcome.str(), "complete") << "nobody asked it to stop";
  const auto last = "trap 'exit 0' USR1; N=4; " + epochs + "kill -USR1 $RUNNER; sleep 1; exit 1";
  EXPECT_EQ(run(last).header.outcome.str(), "complete") << "it had done all";
}

TEST_F(CommandAttemptTest, ARequestToSaveBecomesTheProgramsOwnSignalOnce) {
  options.checkpoint_signal = "USR2";
  const auto record = run(
      "trap 'echo x >>" + (folder / "saves").string() +
      "' USR2; kill -USR1 $RUNNER; kill -USR1 $RUNNER; for i in 1 2 3 4 5 6; do sleep 0.05; done; "
      "exit 75");
  EXPECT_EQ(record.header.outcome_text.str(),
            "the command stopped early with exit status 75 after SIGUSR2");
  EXPECT_EQ(bytes_of((folder / "saves").string()), "x\n");
}

TEST_F(CommandAttemptTest, TheRevisionOfAProgramInARepositoryIsRecorded) {
  const auto script = folder / "mine/train.sh";
  fs::create_directories(script.parent_path());
  std::ofstream(script) << "echo Epoch 1/1\n";
  const auto revision = [&] {
    return run_words({"sh", script.string()}).header.program_revision.str();
  };
  EXPECT_EQ(revision(), "") << "no repository";
  const auto git = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"git", "-C", script.parent_path().string(), "-c", "user.name=n",
                                 "-c", "user.email=e@x"});
    const auto answer = process::run_command(words, 60);
    EXPECT_TRUE(answer.ok()) << answer.err;
    return std::string(trim(answer.out));
  };
  git({"init", "-q"});
  git({"add", "."});
  git({"commit", "-q", "-m", "first"});
  const auto commit = git({"rev-parse", "HEAD"});
  EXPECT_EQ(revision(), commit);
  std::ofstream(script) << "echo Epoch 1/1 again\n";
  EXPECT_EQ(revision(), commit + "-dirty");
}

TEST_F(CommandAttemptTest, TheEpochsOfTheCommandLineAreTheTotalThatTheProgramDoesNotPrint) {
  const auto script = folder / "train.sh";
  fs::create_directories(folder);
  std::ofstream(script) << "for i in 1 2 3; do echo \"epoch $i loss 0.$i\"; sleep 0.05; done\n";
  EXPECT_EQ(record::epochs_of(run_words({"sh", script.string(), "--epochs", "9"})), 9);
  EXPECT_EQ(record::epochs_of(run_words({"sh", script.string(), "--epochs", "2"})), 0)
      << "it does more than that";
  EXPECT_EQ(record::epochs_of(run_words({"sh", script.string()})), 0);
}

TEST_F(CommandAttemptTest, ACommandWithoutAnInputIsNotStartedAndHasARecord) {
  options.inputs = {"/", (folder / "data.csv").string()};
  const auto record = run("touch " + (folder / "started").string());
  EXPECT_EQ(record.header.outcome, "failed");
  EXPECT_THAT(record.header.outcome_text.str(),
              HasSubstr("data.csv' is not there, so the command"));
  EXPECT_EQ(status, exit_failed);
  EXPECT_FALSE(fs::exists(folder / "started"));
  std::ofstream(folder / "data.csv");
  EXPECT_EQ(run("exit 0").header.outcome, "complete");
}

TEST_F(CommandAttemptTest, PythonIsToldNotToHoldItsOutputBack) {
  const char* variable = getenv("PYTHONUNBUFFERED");
  const std::string before = variable == nullptr ? "" : variable;
  unsetenv("PYTHONUNBUFFERED");
  run("exit ${PYTHONUNBUFFERED:-9}");
  EXPECT_EQ(status, 1);
  options.progress = "none";
  run("exit ${PYTHONUNBUFFERED:-9}");
  EXPECT_EQ(status, 9);
  setenv("PYTHONUNBUFFERED", "3", 1);
  options.progress = "auto";
  run("exit $PYTHONUNBUFFERED");
  EXPECT_EQ(status, 3) << "the user's own";
  variable == nullptr ? unsetenv("PYTHONUNBUFFERED")
                      : setenv("PYTHONUNBUFFERED", before.c_str(), 1);
}

TEST_F(CommandAttemptTest, EpochsWhoseLinesComeAtOnceAreToldToHaveNoTime) {
  const std::string told = "2 of 3 epochs have no time of their own";
  EXPECT_THAT(run("sleep 0.2; printf 'epoch 1/3 loss 0.5\nepoch 2/3 loss 0.4\nepoch 3/3 loss "
                  "0.3\n'")
                  .header.note.str(),
              HasSubstr(told));
  EXPECT_THAT(
      run("for e in 1 2 3; do sleep 0.2; echo epoch $e/3 loss 0.$e; done").header.note.str(),
      testing::Not(HasSubstr("no time")));
}

TEST_F(CommandAttemptTest, TheCommandsWallTimeIsASpan) {
  const record::Record record = run("sleep 0.2");
  ASSERT_THAT(record.spans, SizeIs(2));
  EXPECT_EQ(record.spans[1].name.str(), "command");
  EXPECT_GE(record.spans[1].duration_s, 0.2);
}

TEST_F(CommandAttemptTest, ACommandThatIsNotThereIsBadInputAndARecord) {
  const record::Record record = run_words({"epochcast-no-such-program"});
  EXPECT_EQ(error, "epochcast-no-such-program: cannot be started: No such file or directory");
  EXPECT_EQ(status, exit_bad_input);
  EXPECT_EQ(record.header.outcome.str(), "failed");
  EXPECT_EQ(record.header.outcome_text.str(), error);
}

/// Runs the command with a clock that raises in the threads that `raises_here` selects.
record::Record run_with_raising_clock(const CommandAttempt& attempt, const Thrown& thrown,
                                      const std::function<bool()>& raises_here) {
  const auto path = attempt::record_path(attempt.output, attempt.start.header);
  const RaisingClock clock(path, [&] {
    if (raises_here()) {
      thrown.raise();
    }
  });
  EXPECT_EQ(error_of([&] { (void)run_command_attempt(attempt, clock, hold_signals()); }),
            thrown.text);
  return record::read_record(path);
}

TEST_F(CommandAttemptTest, AnExceptionOfAnyTypeIsAFailureInTheRecord) {
  CommandAttempt attempt{.command = {"true"}, .options = options, .output = output, .start = {}};
  for (const auto& thrown : thrown_of_every_kind()) {
    attempt.start.header.job_id = "job" + std::to_string(++runs);
    const auto record = run_with_raising_clock(attempt, thrown, [] { return true; });
    EXPECT_EQ(record.header.outcome.str(), "failed") << thrown.text;
    EXPECT_EQ(record.header.outcome_text.str(), thrown.text);
    EXPECT_EQ(record.header.cause.str(), thrown.cause) << thrown.text;
  }
}

TEST_F(CommandAttemptTest, AnExceptionInTheThreadThatWritesTheRecordIsAFailureToo) {
  const auto raised = (folder / "raised").string();
  CommandAttempt attempt{
      .command = {"sh", "-c", "until [ -e " + raised + " ]; do sleep 0.01; done"},
      .options = options,
      .output = output,
      .start = {}};
  attempt.start.header.job_id = "thread";
  const Thrown thrown{[&] {
                        std::ofstream{raised};
                        throw std::bad_alloc();
                      },
                      "out of memory", "out_of_memory"};
  const auto record = run_with_raising_clock(attempt, thrown, [&] {
    char name[16] = "";
    pthread_getname_np(pthread_self(), name, sizeof(name));
    return std::string(name) == "recorder" && !fs::exists(raised);
  });
  EXPECT_EQ(record.header.outcome_text.str(), "out of memory");
  EXPECT_EQ(record.spans.size(), 2u) << "what the main thread writes afterwards is there";
}

TEST_F(CommandAttemptTest, TheCommandFindsItsWorkFolderAndHoldsNoFileOfOurs) {
  EXPECT_EQ(run("test -d " + (folder / "work/point").string()).header.outcome.str(), "complete");
  EXPECT_EQ(run("! ls -l /proc/self/fd | grep -F records/").header.outcome.str(), "complete");
}

const std::string runner_program = EPOCHCAST_BINARY_DIR "/epochcast-run";

TEST_F(CommandAttemptTest, TheProgramRecordsParametersMachineAndAllocation) {
  const auto result = process::run_command(
      {runner_program, "--records=" + output.records, "--work=" + output.work, "--point=mine",
       "--experiment=exp", "--allocation=cpu2", "--parameter=epochs=5", "--parameter=lr=0.1",
       "--parameter=note=a=b c", "--", "echo", "--help", "it's"},
      60, {{"EPOCHCAST_ASKED", "cpus=2"}, {"EPOCHCAST_JOB_ID", "local-7"}});
  ASSERT_TRUE(result.ok()) << result.err;
  EXPECT_EQ(result.out, "--help it's\n");
  const record::Record record = record::read_record(output.records + "/mine-local-7.h5");
  EXPECT_EQ(record.header.experiment.str(), "exp");
  EXPECT_EQ(record.header.allocation.str(), "cpu2");
  ASSERT_THAT(record.parameters, SizeIs(4));
  EXPECT_EQ(record.parameters[0].type.str(), "integer");
  EXPECT_EQ(record.parameters[1].type.str(), "number");
  EXPECT_EQ(record.parameters[2].value.str(), "a=b c");
  EXPECT_EQ(record.parameters[3].value.str(), R"(echo --help 'it'\''s')");
  EXPECT_THAT(record.machines, SizeIs(1));
  EXPECT_FALSE(record.allocation.empty());
}

TEST_F(CommandAttemptTest, TheProgramRecordsTheCommandAsAnExperimentGivesIt) {
  const auto result =
      process::run_command({runner_program, "--records=" + output.records, "--work=" + output.work,
                            "--point=mine", "--parameter=command=echo '{seed}'", "--", "echo", "7"},
                           60, {{"EPOCHCAST_JOB_ID", "local-8"}});
  ASSERT_TRUE(result.ok()) << result.err;
  const record::Record record = record::read_record(output.records + "/mine-local-8.h5");
  ASSERT_THAT(record.parameters, SizeIs(1));
  EXPECT_EQ(record.parameters[0].value.str(), "echo '{seed}'");
}

/// The warning before the time limit may come while the program still asks Slurm about its job.
TEST_F(CommandAttemptTest, ASignalBeforeTheCommandBeginsReachesIt) {
  const fs::path bin = folder / "bin";
  fs::create_directories(bin);
  std::ofstream(bin / "scontrol") << "#!/bin/sh\nkill -USR1 $PPID\nexit 1\n";
  fs::permissions(bin / "scontrol", fs::perms::owner_all);
  const auto result = process::run_command(
      {runner_program, "--records=" + output.records, "--work=" + output.work, "--point=early",
       "--", "sleep", "60"},  // no trap: a shell may be signalled before it sets one
      90, {{"SLURM_JOB_ID", "7"}, {"PATH", bin.string() + ":" + getenv("PATH")}});
  EXPECT_EQ(result.status, exit_stopped) << result.err;
  EXPECT_EQ(record::read_record(output.records + "/early-7.h5").header.outcome_text.str(),
            "the command was ended by SIGUSR1");
}

TEST_F(CommandAttemptTest, TheProgramReportsInOneLineWhatIsWrongWithItsArguments) {
  const struct {
    std::vector<std::string> words;
    std::string says;
  } cases[] = {
      {{}, "no command given; expected epochcast-run [options] -- COMMAND..."},
      {{"--ponit=x", "--", "true"}, "unknown option '--ponit'; did you mean 'point'?"},
      {{"--parameter=epochs", "--", "true"}, "--parameter: found 'epochs', expected NAME=VALUE"},
      {{"--parameter==5", "--", "true"}, "--parameter: found '=5', expected NAME=VALUE"},
  };
  for (const auto& bad : cases) {
    std::vector<std::string> words{runner_program, "--records=" + output.records,
                                   "--work=" + output.work};
    words.insert(words.end(), bad.words.begin(), bad.words.end());
    const auto result = process::run_command(words, 60);
    EXPECT_EQ(result.status, exit_bad_input);
    EXPECT_EQ(result.err, "epochcast-run: error: " + bad.says + "\n");
  }
  EXPECT_FALSE(fs::exists(output.records));
  EXPECT_THAT(process::run_command({runner_program, "--help"}, 60).out,
              HasSubstr("example: epochcast-run"));
}

/// Runs `work` in a process that is not below this one, so that telemetry counts it as another's;
/// its id. It has no parent here to wait for it.
template <class Work>
pid_t start_stranger(const Work& work) {
  std::array<int, 2> pipe_ends{};
  EXPECT_EQ(pipe(pipe_ends.data()), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    const pid_t stranger = fork();
    if (stranger == 0) {
      work();
      _exit(0);
    }
    _exit(write(pipe_ends[1], &stranger, sizeof(stranger)) == sizeof(stranger) ? 0 : 1);
  }
  pid_t stranger = 0;
  EXPECT_EQ(read(pipe_ends[0], &stranger, sizeof(stranger)), ssize_t(sizeof(stranger)));
  waitpid(parent, nullptr, 0);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
  return stranger;
}

TEST_F(CommandAttemptTest, ABusyNeighbourOnTheSameCpusIsNamed) {
  cpu_set_t before;
  sched_getaffinity(0, sizeof(before), &before);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(process::allowed_cpus().front(), &one);
  sched_setaffinity(0, sizeof(one), &one);
  const pid_t neighbour = start_stranger([] {
    alarm(60);  // if this test ends before its kill
    prctl(PR_SET_NAME, "busy \x1b[31m");
    const volatile bool forever = true;
    while (forever) {
    }
  });
  output.telemetry = {0.1};
  // Three seconds at least: the name comes with the second look, a second after the first.
  const record::Record record = run("exec bash -c 'while [ $SECONDS -lt 4 ]; do :; done'");
  const record::Record asleep = run("sleep 2");
  kill(neighbour, SIGKILL);
  sched_setaffinity(0, sizeof(before), &before);
  ASSERT_THAT(record.usage, SizeIs(1));
  EXPECT_EQ(record.usage[0].cpus, 1);
  EXPECT_GT(record.usage[0].own_cpu_s, 0);
  EXPECT_THAT(telemetry::disturbance_text(record),
              testing::ContainsRegex("other process(es)? \\(.+\\) used"));
  EXPECT_THAT(telemetry::disturbance_text(record),
              testing::ContainsRegex("of its CPU and took [0-9]+ % of the time during the run"));
  EXPECT_EQ(telemetry::disturbance_text(asleep), "") << "the neighbour took no time from it";
  EXPECT_GT(telemetry::harmless_use(asleep.usage), 0);
}

TEST_F(CommandAttemptTest, AStoppedCommandIsNamed) {
  output.telemetry = {0.1};
  const std::string pid_file = folder / "pid";
  fs::create_directories(folder);
  start_stranger([&] {
    pid_t child = 0;
    while (!(std::ifstream(pid_file) >> child)) {
      usleep(10000);
    }
    kill(child, SIGSTOP);
    usleep(1500000);
    kill(child, SIGCONT);
  });
  const record::Record record = run("echo $$ > " + pid_file + ".new && mv " + pid_file + ".new " +
                                    pid_file + "; exec sleep 0.5");
  EXPECT_GE(record.usage.at(0).stopped_s, 0.5);
  EXPECT_THAT(telemetry::disturbance_text(record), HasSubstr("did not run for"));
}

TEST_F(CommandAttemptTest, WithoutTelemetryThereIsNone) {
  output.telemetry = {0};
  const record::Record record = run("exit 0");
  EXPECT_THAT(record.telemetry, SizeIs(0));
  EXPECT_THAT(record.usage, SizeIs(0));
}

TEST_F(CommandAttemptTest, SamplesThatWereConfirmedSurviveAKill) {
  const std::string records = folder / "killed";
  const std::string record_of = records + "/p-killed.h5";
  const auto lines = [&] {
    const auto text = bytes_of(records + "/p-killed.jsonl");
    std::ptrdiff_t count = 0;
    for (auto at = text.find("{\"table\":\"telemetry\","); at != std::string::npos;
         at = text.find("{\"table\":\"telemetry\",", at + 1)) {
      ++count;
    }
    return count;
  };
  const pid_t child = fork();
  if (child == 0) {
    setenv("EPOCHCAST_JOB_ID", "killed", 1);
    execl(runner_program.c_str(), runner_program.c_str(), "--point=p",
          ("--records=" + records).c_str(), ("--work=" + (folder / "work").string()).c_str(),
          "--telemetry=0.1s", "--", "sleep", "60", nullptr);
    _exit(127);
  }
  for (int tries = 0; tries < 600 && lines() < 5; ++tries) {
    usleep(100000);
  }
  const auto confirmed = lines();
  const auto command =
      process::run_command({"ps", "-o", "pid=", "--ppid", std::to_string(child)}, 10);
  kill(child, SIGKILL);  // before its command, whose end it would record
  waitpid(child, nullptr, 0);
  if (const auto pid = parse_integer(trim(command.out))) {
    kill(static_cast<pid_t>(*pid), SIGKILL);
  }
  ASSERT_GE(confirmed, 5);
  const auto record = record::read_record(record_of);
  EXPECT_EQ(record.header.outcome.str(), "running");
  EXPECT_GE(std::ssize(record.telemetry), confirmed - 1);  // a flush may have been under way
  EXPECT_GE(std::ssize(record.telemetry_cpus), 1);
}

}  // namespace
}  // namespace epochcast::runner
