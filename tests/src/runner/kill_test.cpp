// Kills at random times: the program, the runner, the keeper between them. What was confirmed is in
// the record, and nothing goes on running.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "src/base/core/text.hpp"
#include "src/base/process/spawn.hpp"
#include "src/record/json_lines.hpp"
#include "src/record/reader.hpp"
#include "tests/files.hpp"

namespace epochcast::runner {
namespace {

namespace fs = std::filesystem;

/// A file of /proc; "" if its process ends meanwhile, which makes a read fail.
std::string proc_text(const std::string& path) {
  try {
    return bytes_of(path);
  } catch (const std::ios_base::failure&) {
    return "";
  }
}

/// Processes that have `word` in their command line.
std::vector<pid_t> processes_with(const std::string& word) {
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const auto pid = parse_integer(entry.path().filename().native());
    if (pid && proc_text(entry.path() / "cmdline").find(word) != std::string::npos) {
      found.push_back(static_cast<pid_t>(*pid));
    }
  }
  return found;
}

enum class Victim { program, runner, keeper, program_and_runner };

class KillFuzz : public ::testing::Test {
 protected:
  /// Prints epochs for ever; beside it a child, and one in a session of its own whose parent ended.
  static constexpr const char* script =
      "echo $$ > $1/new; mv $1/new $1/program; "
      "sleep 7000.$2 & (setsid sleep 8000.$2 &) ; i=0; "
      "while :; do i=$((i+1)); echo \"Epoch $i/100000 loss: 0.$i\"; sleep 0.03; done";

  void start(int round) {
    folder = std::make_unique<TemporaryFolder>();
    marker = std::to_string(getpid()) + std::to_string(round);
    sigset_t none;
    sigemptyset(&none);
    const auto child = process::spawn(
        {.words = {EPOCHCAST_BINARY_DIR "/epochcast-run", "--point=p", "--telemetry=200ms",
                   round % 2 == 0 ? "--terminal=pipe" : "--terminal=pty",
                   "--records=" + *folder / "records", "--work=" + *folder / "work", "--", "sh",
                   "-c", script, "sh", folder->path(), marker},
         .environment = {{"EPOCHCAST_JOB_ID", "local-1"}},
         .out = open("/dev/null", O_WRONLY | O_CLOEXEC),
         .err = open("/dev/null", O_WRONLY | O_CLOEXEC),
         .signal_mask = none});
    ASSERT_TRUE(child.ok());
    runner = child.pid;
  }

  std::size_t confirmed() const {
    const auto path = *folder / "records/p-local-1.jsonl";
    return fs::exists(path) ? record::read_json_lines(path).record.epochs.size() : 0;
  }

  pid_t number_in(const std::string& name) const {
    pid_t number = 0;
    while (!(std::ifstream(*folder / name) >> number)) {
      usleep(5000);
    }
    return number;
  }

  void kill_one(Victim victim) const {
    const auto program = number_in("program");
    if (victim == Victim::keeper) {
      const auto stat = bytes_of("/proc/" + std::to_string(program) + "/stat");
      const auto words = split(stat.substr(stat.rfind(')')), ' ');
      kill(static_cast<pid_t>(*parse_integer(words.at(2))), SIGKILL);
    }
    if (victim == Victim::runner || victim == Victim::program_and_runner) {
      kill(runner, SIGKILL);
    }
    if (victim == Victim::program || victim == Victim::program_and_runner) {
      kill(program, SIGKILL);
    }
  }

  std::unique_ptr<TemporaryFolder> folder;
  std::string marker;
  pid_t runner = -1;
};

TEST_F(KillFuzz, TheRecordHasWhatWasConfirmedAndNothingGoesOn) {
  const int rounds = std::getenv("EPOCHCAST_LONG") != nullptr ? 200 : 8;
  std::mt19937 random(19);
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE(round);
    start(round);
    const auto wanted = 1 + random() % 8;
    std::size_t before = 0;
    while ((before = confirmed()) < wanted) {
      usleep(10000);
    }
    while (confirmed() <= before) {  // the flush of `before` is then done
      usleep(5000);
    }
    usleep(static_cast<useconds_t>(random() % 300000));
    const auto victim = static_cast<Victim>(random() % 4);
    kill_one(victim);
    int state = 0;
    ASSERT_EQ(waitpid(runner, &state, 0), runner);
    const bool runner_lives = victim == Victim::program || victim == Victim::keeper;
    while (!runner_lives && !processes_with("000." + marker).empty()) {
      usleep(20000);  // until the keeper is done; the time limit of the test ends a wait in vain
    }
    EXPECT_TRUE(processes_with("000." + marker).empty());
    const auto record = record::read_record(*folder / "records/p-local-1.h5");
    EXPECT_GE(record.epochs.size(), before);
    EXPECT_GE(confirmed(), before);
    if (runner_lives) {
      EXPECT_EQ(process::exit_status_of(state), 128 + SIGKILL);
      EXPECT_EQ(record.header.outcome.str(), "failed");
      EXPECT_EQ(record.header.outcome_text.str(), "the command was ended by SIGKILL");
    } else {
      EXPECT_EQ(record.header.outcome.str(), "running");
    }
    folder.reset();
  }
}

}  // namespace
}  // namespace epochcast::runner
