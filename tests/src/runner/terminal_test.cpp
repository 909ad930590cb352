// epochcast-run on a terminal, which the test itself holds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>

#include "src/base/core/clock.hpp"
#include "src/base/core/descriptor.hpp"
#include "src/base/process/spawn.hpp"
#include "tests/files.hpp"

namespace epochcast::runner {
namespace {

using ::testing::HasSubstr;

/// A terminal with epochcast-run on it.
class OnATerminal : public ::testing::Test {
 protected:
  /// As the shell of a terminal starts programs: tests in the background of a script were started
  /// with SIGINT ignored, which programs inherit.
  OnATerminal() { ::signal(SIGINT, SIG_DFL); }

  void start(const std::string& script, const std::vector<std::string>& options = {}) {
    int ours = -1;
    int programs = -1;
    const winsize size{.ws_row = 31, .ws_col = 77, .ws_xpixel = 0, .ws_ypixel = 0};
    ASSERT_EQ(openpty(&ours, &programs, nullptr, nullptr, &size), 0);
    terminal = Descriptor(ours);
    slave = Descriptor(programs);  // stays open: its modes are looked at
    tcgetattr(programs, &before);
    std::vector<std::string> words{EPOCHCAST_BINARY_DIR "/epochcast-run",
                                   "--records=" + (folder / "records"),
                                   "--work=" + (folder / "work"), "--telemetry=0s"};
    words.insert(words.end(), options.begin(), options.end());
    for (const auto* word : {"--", "sh", "-c", script.c_str()}) {
      words.emplace_back(word);
    }
    sigset_t none;
    sigemptyset(&none);
    const auto child = process::spawn({.words = words,
                                       .environment = {{"TERM", "dumb"}},
                                       .in = programs,
                                       .out = programs,
                                       .err = programs,
                                       .terminal = programs,
                                       .signal_mask = none});
    ASSERT_TRUE(child.ok());
    pid = child.pid;
  }

  void type(const std::string& keys) {
    EXPECT_EQ(write(terminal.number(), keys.data(), keys.size()), std::ssize(keys));
  }

  /// Reads on until `text` was printed. The test's own time limit ends a wait in vain.
  void wait_for(const std::string& text) {
    while (printed.find(text) == std::string::npos) {
      read_some();
    }
  }

  int status() {
    int state = 0;
    while (waitpid(pid, &state, WNOHANG) == 0) {
      read_some();
    }
    read_some();
    return process::exit_status_of(state);
  }

  void read_some() {
    std::array<char, 4096> buffer;
    pollfd ready{terminal.number(), POLLIN, 0};
    while (poll(&ready, 1, 20) > 0) {
      const auto count = read(terminal.number(), buffer.data(), buffer.size());
      if (count <= 0) {
        return;
      }
      printed.append(buffer.data(), static_cast<std::size_t>(count));
    }
  }

  bool modes_are_as_before() const {
    termios now{};
    tcgetattr(slave.number(), &now);
    return now.c_lflag == before.c_lflag && now.c_iflag == before.c_iflag &&
           now.c_oflag == before.c_oflag;
  }

  TemporaryFolder folder;
  Descriptor terminal{-1};
  Descriptor slave{-1};
  termios before{};
  pid_t pid = -1;
  std::string printed;
};

TEST_F(OnATerminal, TheProgramHasATerminalOfTheSameSize) {
  start("test -t 0 && test -t 1 && test -t 2 && stty size");
  EXPECT_EQ(status(), 0);
  EXPECT_EQ(printed, "31 77\r\n");  // CR LF is the outer terminal's
  EXPECT_TRUE(modes_are_as_before());
}

TEST_F(OnATerminal, KeysReachTheProgramAndAreShownOnce) {
  start("echo ready; read line; echo got $line");
  wait_for("ready");
  type("some words\r");
  EXPECT_EQ(status(), 0);
  EXPECT_EQ(printed, "ready\r\nsome words\r\ngot some words\r\n");
}

TEST_F(OnATerminal, ControlCReachesTheProgramOnce) {
  start("trap 'echo INT' INT; echo ready; for i in 1 2 3 4 5 6; do sleep 0.1; done; echo end");
  wait_for("ready");
  type("\003");
  EXPECT_EQ(status(), 0);
  const auto first = printed.find("INT");
  EXPECT_NE(first, std::string::npos) << printed;
  EXPECT_EQ(printed.find("INT", first + 1), std::string::npos) << printed;
}

TEST_F(OnATerminal, ControlCEndsAProgramThatDoesNotCatchIt) {
  start("echo ready; exec sleep 60");
  wait_for("ready");
  type("\003");
  EXPECT_EQ(status(), 128 + SIGINT);
  EXPECT_TRUE(modes_are_as_before());
}

TEST_F(OnATerminal, ANewWindowSizeReachesTheProgram) {
  start("trap 'stty size; exit 0' WINCH; echo ready; while :; do sleep 0.05; done");
  wait_for("ready");
  const winsize size{.ws_row = 12, .ws_col = 34, .ws_xpixel = 0, .ws_ypixel = 0};
  ioctl(terminal.number(), TIOCSWINSZ, &size);
  EXPECT_EQ(status(), 0);
  EXPECT_THAT(printed, HasSubstr("12 34"));
}

TEST_F(OnATerminal, AKilledRunnerLeavesTheTerminalAsItWas) {
  start("echo ready; exec sleep 60");
  wait_for("ready");
  EXPECT_FALSE(modes_are_as_before());
  kill(pid, SIGKILL);
  EXPECT_EQ(status(), 128 + SIGKILL);
  while (!modes_are_as_before()) {
    usleep(10000);
  }
}

TEST_F(OnATerminal, WithPipesTheProgramHasNone) {
  start("test -t 1 || test -t 2 || echo none", {"--terminal=pipe"});
  EXPECT_EQ(status(), 0);
  EXPECT_THAT(printed, HasSubstr("none"));
}

}  // namespace
}  // namespace epochcast::runner
