#include "src/runner/notices.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/files.hpp"

namespace epochcast::runner {
namespace {

class FakeClock final : public Clock {
 public:
  double now_s() const override { return time_s; }
  double time_s = 100;
};

class NoticesTest : public ::testing::Test {
 protected:
  ~NoticesTest() override { close(file); }
  std::string printed() const { return bytes_of(path); }

  TemporaryFolder folder;
  std::string path = folder / "out";
  int file = open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  FakeClock clock;
  Outlet outlet{file, clock};
};

TEST_F(NoticesTest, ALineWaitsUntilTheProgramHasEndedItsOwn) {
  Notices notices(outlet, false);
  outlet.pass_on("50%|#####");
  notices.tell("warning: late");
  notices.flush();
  EXPECT_EQ(printed(), "50%|#####");
  outlet.pass_on("#####\n");
  notices.flush();
  notices.flush();
  EXPECT_EQ(printed(), "50%|##########\nepochcast-run: warning: late\n");
}

TEST_F(NoticesTest, OnATerminalItAlsoWaitsUntilTheProgramIsQuiet) {
  Notices notices(outlet, true);
  outlet.pass_on("\n");  // of nested bars: the cursor goes up again
  notices.tell("warning: late");
  notices.flush();
  EXPECT_EQ(printed(), "\n");
  clock.time_s += 1;
  notices.flush();
  EXPECT_EQ(printed(), "\nepochcast-run: warning: late\n");
}

TEST_F(NoticesTest, AtTheEndNothingIsKeptBack) {
  Notices notices(outlet, false);
  outlet.pass_on("50%");
  notices.tell("warning: late");
  notices.flush(true);
  EXPECT_EQ(printed(), "50%\nepochcast-run: warning: late\n");
}

TEST_F(NoticesTest, BetweenTwoBarsALineStandsBeforeTheNextOne) {
  for (const bool is_terminal : {false, true}) {
    const auto before = printed().size();
    Notices notices(outlet, is_terminal);
    outlet.pass_on("\r 50%|##  |");
    notices.tell("warning: late");
    notices.flush();
    outlet.pass_on("\r100%|####|\n\r  0%|    |");
    notices.flush();
    outlet.pass_on("\r 10%|    |\n\r");
    notices.flush();
    EXPECT_EQ(printed().substr(before),
              "\r 50%|##  |\r100%|####|\nepochcast-run: warning: late\n\r  0%|    |"
              "\r 10%|    |\n\r");
    outlet.pass_on("\n");
  }
}

TEST_F(NoticesTest, NestedBarsAreNotTorn) {
  Notices notices(outlet, true);
  outlet.pass_on("outer\n\rinner\033[A");
  notices.tell("warning: late");
  notices.flush();
  outlet.pass_on("\n\rinner 2\033[A");
  notices.flush();
  EXPECT_EQ(printed(), "outer\n\rinner\033[A\n\rinner 2\033[A");
}

/// Two epochs of ten, of 10 s each.
Eta known_eta() {
  Eta eta({.parameters = {{.name = "epochs", .value = "10"}}});
  progress::Rows rows;
  rows.epochs = {{.epoch = 0, .wall_s = 10}, {.epoch = 1, .start_s = 10, .wall_s = 10}};
  eta.watch({.now_s = 20, .position = {}, .rows = rows});
  return eta;
}

TEST_F(NoticesTest, TheForecastIsTheTitleOfATerminalWhichIsSetBack) {
  setenv("TERM", "xterm", 1);
  {
    Notices notices(outlet, true);
    outlet.pass_on("bar \xe2");
    notices.watch(known_eta(), 20);
    EXPECT_EQ(printed(), "bar \xe2");  // a character is open
    outlet.pass_on("\x96\x88");
    notices.watch(known_eta(), 30);
  }
  const auto text = printed();
  EXPECT_TRUE(text.starts_with("bar \xe2\x96\x88\033[22;2t\033]2;epoch 3 of 10; done at about "))
      << testing::PrintToString(text);
  EXPECT_TRUE(text.ends_with("\007\033[23;2t")) << testing::PrintToString(text);
}

TEST_F(NoticesTest, OfAProgramThatOnlyDrawsBarsTheForecastIsALineBetweenThem) {
  Notices notices(outlet, false);
  for (double now_s = 5; now_s < 65; now_s += 1) {
    outlet.pass_on("\r 50%");
    notices.watch(known_eta(), now_s);
    outlet.pass_on("\r100%\n\r  0%");
  }
  const auto text = printed();
  const auto at = text.find("\nepochcast-run: epoch 3 of 10; done at about ");
  ASSERT_NE(at, std::string::npos) << text;
  EXPECT_EQ(text.find("epochcast-run", at + 2), std::string::npos) << "once a minute: " << text;
}

TEST_F(NoticesTest, InALogTheForecastIsALineNowAndThen) {
  Notices notices(outlet, false);
  for (double now_s = 5; now_s < 65; now_s += 1) {
    notices.watch(known_eta(), now_s);
  }
  const auto text = printed();
  EXPECT_TRUE(text.starts_with("epochcast-run: epoch 3 of 10; done at about ")) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
}

}  // namespace
}  // namespace epochcast::runner
