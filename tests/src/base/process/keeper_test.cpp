#include "src/base/process/keeper.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "src/base/process/descendants.hpp"
#include "tests/files.hpp"

namespace epochcast::process {
namespace {

using Kind = KeeperReport::Kind;

class KeeperTest : public ::testing::Test {
 protected:
  KeeperSpec shell(const std::string& script) const {
    sigset_t none;
    sigemptyset(&none);
    return {.program = {.words = {"sh", "-c", script, "sh", folder.path()},
                        .die_with_parent = true,
                        .signal_mask = none},
            .grace_s = 0.3};
  }

  /// The number that the script wrote to `name`, once it is there.
  pid_t number_in(const std::string& name) const {
    pid_t number = 0;
    while (!(std::ifstream(folder / name) >> number)) {
      usleep(5000);
    }
    return number;
  }

  TemporaryFolder folder;
};

bool runs(pid_t pid) {
  return kill(pid, 0) == 0;
}

TEST_F(KeeperTest, ReportsTheStartTheEndAndThatNothingIsLeft) {
  const auto spec = shell("exit 3");
  Keeper keeper(spec);
  keeper.start();
  EXPECT_EQ(keeper.report().kind, Kind::started);
  const auto ended = keeper.report();
  EXPECT_EQ(ended.kind, Kind::ended);
  EXPECT_EQ(exit_status_of(ended.value), 3);
  const auto last = keeper.report();
  EXPECT_EQ(last.kind, Kind::all_ended);
  EXPECT_EQ(last.value, 0);
}

TEST_F(KeeperTest, TellsWhyAProgramCannotBeStarted) {
  auto spec = shell("");
  spec.program.words = {"epochcast-no-such-program"};
  Keeper keeper(spec);
  keeper.start();
  const auto report = keeper.report();
  EXPECT_EQ(report.kind, Kind::not_started);
  EXPECT_EQ(report.value, ENOENT);
}

TEST_F(KeeperTest, StartsNothingByItself) {
  const auto spec = shell("touch $1/started");
  { Keeper keeper(spec); }
  EXPECT_FALSE(std::filesystem::exists(folder / "started"));
}

/// A process that ignores SIGTERM in a session of its own, whose parent has ended.
constexpr const char* stubborn =
    "(trap '' TERM; setsid sh -c 'trap \"\" TERM; echo $$ > '$1'/new; mv '$1'/new '$1'/left; "
    "while :; do sleep 1; done' & ); while [ ! -e $1/left ]; do sleep 0.01; done; ";

TEST_F(KeeperTest, WhatTheProgramLeavesBehindIsEnded) {
  const auto spec = shell(std::string(stubborn) + "exit 0");
  Keeper keeper(spec);
  keeper.start();
  while (keeper.report().kind != Kind::all_ended) {
  }
  EXPECT_FALSE(runs(number_in("left")));
}

TEST_F(KeeperTest, EverythingIsEndedWithItsUser) {
  const auto spec = shell(std::string(stubborn) +
                          "echo $$ > $1/new; mv $1/new $1/program; "
                          "while :; do sleep 1; done");
  pid_t left = 0;
  pid_t program = 0;
  {
    Keeper keeper(spec);
    keeper.start();
    program = number_in("program");
    left = number_in("left");
    EXPECT_TRUE(runs(program));
    EXPECT_TRUE(runs(left));
  }
  EXPECT_FALSE(runs(program));
  EXPECT_FALSE(runs(left));
}

TEST_F(KeeperTest, AKilledKeeperTakesTheProgramWithItAndLeavesNothingToo) {
  const auto spec = shell(std::string(stubborn) +
                          "echo $$ > $1/new; mv $1/new $1/program; "
                          "while :; do sleep 1; done");
  Keeper keeper(spec);
  keeper.start();
  EXPECT_EQ(keeper.report().kind, Kind::started);
  const auto left = number_in("left");
  const auto program = number_in("program");
  kill(keeper.pid(), SIGKILL);
  EXPECT_EQ(keeper.report().kind, Kind::ended);
  EXPECT_EQ(keeper.report().kind, Kind::all_ended);
  EXPECT_FALSE(runs(program));
  EXPECT_FALSE(runs(left));
}

TEST_F(KeeperTest, ASignalReachesTheProgramAlone) {
  const auto spec = shell(
      "trap 'exit 7' USR1; echo $$ > $1/new; mv $1/new $1/program; "
      "while :; do sleep 0.01; done");
  Keeper keeper(spec);
  keeper.start();
  EXPECT_EQ(keeper.report().kind, Kind::started);
  number_in("program");
  keeper.signal(SIGUSR1);
  EXPECT_EQ(exit_status_of(keeper.report().value), 7);
}

TEST_F(KeeperTest, AskedToEndAllItEndsAProgramThatIgnoresSigterm) {
  const auto spec = shell(
      "trap '' TERM; echo $$ > $1/new; mv $1/new $1/program; "
      "while :; do sleep 0.01; done");
  Keeper keeper(spec);
  keeper.start();
  EXPECT_EQ(keeper.report().kind, Kind::started);
  number_in("program");
  keeper.end_all();
  const auto ended = keeper.report();
  EXPECT_EQ(ended.kind, Kind::ended);
  EXPECT_EQ(exit_status_of(ended.value), 128 + SIGKILL);
  EXPECT_EQ(keeper.report().kind, Kind::all_ended);
}

}  // namespace
}  // namespace epochcast::process
