// The live view on a real terminal: what the user sees, and that the terminal is given back.
#include <gmock/gmock.h>
#include <signal.h>

#include "src/base/core/clock.hpp"
#include "src/base/process/command.hpp"
#include "src/record/writer.hpp"
#include "tests/jobs/fake_slurm.hpp"
#include "tests/jobs/live/tmux.hpp"

namespace epochcast::jobs {
namespace {

using test::SubmitTest;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Four points of a fake Slurm: the first one runs and writes its record.
class LiveTest : public SubmitTest {
 protected:
  void SetUp() override {
    if (!test::Tmux::is_there()) {
      GTEST_SKIP() << "no tmux on this machine";
    }
    EXPECT_EQ(submit_all().submitted, 4U);
    folder_.write("fake/queue",
                  "1|1|RUNNING|0:50|None||t\n2|2|PENDING|0:00|Priority||t\n"
                  "3|3|PENDING|0:00|Priority||t\n4|4|PENDING|0:00|Priority||t\n");
    folder_.write("bin/scancel", "#!/bin/bash\necho \"$*\" >>\"$FAKE/cancelled\"\n", true);
    write_file(out_ + "/claims/" + points_[0], "1\n");
    write_record();
    folder_.write("out/logs/" + points_[0] + "-1.out", "a \x1b[31mred\x1b[0m line\nlast line\n");
    terminal_.emplace(folder_);
    terminal_->type(
        "export TERM=screen-256color LC_ALL=C.UTF-8 PATH=" + (folder_ / "bin").string() +
        ":$PATH FAKE=" + (folder_ / "fake").string() + "; cd " + out_ + "/..; clear");
  }

  void write_record() {
    record::Record made;
    made.header.created_at = iso8601(std::chrono::system_clock::now() - std::chrono::seconds(60));
    made.header.outcome = "running";
    made.header.point = points_[0];
    made.header.job_id = "1";
    made.header.tainted = "\x1b[2J<script>";
    made.parameters = {{"epochs", "10"}};
    for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
      made.epochs.push_back({.epoch = epoch,
                             .start_s = 20.0 * static_cast<double>(epoch),
                             .wall_s = 20,
                             .samples = 256,
                             .iterations = 1});
    }
    record::write_record(out_ + "/records/p-1.h5", made);
  }

  void open() {
    terminal_->type("stty -g >before; sh -c 'echo $$ >pid; exec " EPOCHCAST_BINARY_DIR
                    "/epochcast-jobs status out --watch'");
    terminal_->screen_with("q quit");
    terminal_->screen_with("running jobs end about");
  }

  /// A screen is drawn in pieces, so each text is waited for.
  void wait_for(const std::vector<std::string>& texts) {
    for (const auto& text : texts) {
      terminal_->screen_with(text);
    }
  }

  /// After the view: its exit status, and the terminal as it was. Returns the screen.
  std::string closed(int status) {
    terminal_->screen_without("q quit");
    terminal_->type("echo status $?; stty -g >after; cmp before after && echo same mode");
    terminal_->screen_with(fmt::format("status {}", status));
    return terminal_->screen_with("same mode\n");
  }

  std::optional<test::Tmux> terminal_;
};

TEST_F(LiveTest, ShowsTheJobsAndGivesTheTerminalBack) {
  open();
  wait_for({"4 points: 1 running, 3 pending", "30%", "3/10", "not started",
            "▶ " + points_[0].substr(0, 10)});
  terminal_->press({"?"});
  terminal_->screen_with("any key: back");
  terminal_->press({"x"});
  terminal_->screen_with("q quit");
  terminal_->press({"Enter"});
  wait_for({"last line", "a \\x1b[31mred\\x1b[0m line"});
  folder_.write("out/logs/" + points_[0] + "-1.out", "a new log\n");
  terminal_->screen_with("a new log");
  terminal_->press({"q"});
  terminal_->resize(70, 12);
  wait_for({"q quit", "30%"});
  terminal_->press({"q"});
  EXPECT_THAT(closed(0), HasSubstr("4 points: 1 running, 3 pending")) << "the table stays";
}

TEST_F(LiveTest, CancelsWithSlurmAfterAYesOnly) {
  open();
  terminal_->press({"Down", "c"});
  terminal_->screen_with("Cancel the job of " + points_[1] + "? y/n");
  terminal_->press({"n"});
  terminal_->screen_without("y/n");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "fake/cancelled"));
  terminal_->press({"c"});
  terminal_->screen_with("y/n");
  terminal_->press({"y"});
  terminal_->screen_with("job 2 is being cancelled");
  EXPECT_EQ(read_file(folder_ / "fake/cancelled"), "2\n");
}

TEST_F(LiveTest, SubmitsAPointAgain) {
  folder_.write("fake/queue",
                "1|1|RUNNING|0:50|None||t\n2|2|CANCELLED by 0|0:00|None||t\n"
                "3|3|PENDING|0:00|Priority||t\n4|4|PENDING|0:00|Priority||t\n");
  open();
  terminal_->press({"Down", "r"});
  terminal_->screen_with("Submit " + points_[1] + " again? y/n");
  terminal_->press({"y"});
  terminal_->screen_with("was submitted again");
  EXPECT_THAT(queue(), HasSubstr("\n5|5|PENDING"));
}

TEST_F(LiveTest, IsSuspendedAndComesBack) {
  open();
  terminal_->press({"C-z"});
  terminal_->screen_with("Stopped");
  EXPECT_THAT(terminal_->screen(), Not(HasSubstr("q quit")));
  terminal_->type("stty -g >suspended; cmp before suspended && echo mode of before");
  terminal_->screen_with("mode of before");
  terminal_->type("fg");
  terminal_->screen_with("q quit");
  terminal_->press({"j"});
  terminal_->screen_with("▶ " + points_[1].substr(0, 10));
}

TEST_F(LiveTest, SignalsEndItWithTheTerminalGivenBack) {
  for (const auto& [number, status] :
       {std::pair{SIGINT, 130}, {SIGTERM, 143}, {SIGHUP, 129}, {SIGSEGV, 139}}) {
    terminal_->type("clear");
    open();
    kill(std::stoi(read_file(folder_ / "pid")), number);
    closed(status);
  }
}

TEST_F(LiveTest, PlainLinesWhereTheTerminalIsNotKnown) {
  write_file(folder_ / "fake/queue", "");
  terminal_->type("TERM=no-such-terminal " EPOCHCAST_BINARY_DIR
                  "/epochcast-jobs status out --watch");
  EXPECT_THAT(terminal_->screen_with("4 points"),
              HasSubstr("terminfo has no entry for TERM=no-such-term"));
  terminal_->type("clear; TERM=dumb " EPOCHCAST_BINARY_DIR "/epochcast-jobs status out --watch");
  terminal_->screen_with("TERM=dumb cannot move its cursor");
  terminal_->screen_with("4 points");
}

TEST_F(LiveTest, ATableOnATerminalDrivesItNot) {
  terminal_->type("clear; " EPOCHCAST_BINARY_DIR "/epochcast-jobs status out --format csv");
  terminal_->screen_with("\\x1b[2J<script>");
}

}  // namespace
}  // namespace epochcast::jobs
