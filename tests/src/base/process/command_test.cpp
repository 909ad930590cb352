#include "src/base/process/command.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace epochcast::process {
namespace {

CommandResult shell(const std::string& script, double timeout_s = 20) {
  return run_command({"/bin/sh", "-c", script}, timeout_s);
}

TEST(Command, KeepsTheTwoStreamsApartAndGivesTheStatus) {
  const auto result = shell("echo out; echo err >&2; exit 3");
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
  EXPECT_EQ(result.status, 3);
  EXPECT_FALSE(result.ok());
}

TEST(Command, PassesWordsAsTheyAreWithoutAShell) {
  EXPECT_EQ(run_command({"printf", "%s|", "a b", "$HOME", "'"}, 20).out, "a b|$HOME|'|");
}

TEST(Command, FindsNothingOnItsStandardInput) {
  EXPECT_EQ(shell("cat; echo end").out, "end\n");
}

TEST(Command, TakesMoreOutputThanAPipeHolds) {
  const auto result = shell("head -c 3000000 /dev/zero; head -c 300000 /dev/zero >&2");
  EXPECT_EQ(result.out.size(), 3000000u);
  EXPECT_EQ(result.err.size(), 300000u);
}

TEST(Command, EndsOneThatPrintsWithoutEnd) {
  const auto result = shell("exec cat /dev/zero", 60);
  EXPECT_FALSE(result.ok());
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.err, "/bin/sh: printed more than 128 MiB");
}

TEST(Command, AddsToTheEnvironmentAndReplacesInIt) {
  const auto result =
      run_command({"/bin/sh", "-c", "echo $HOME $SLURM_TIME_FORMAT; test -n \"$PATH\""}, 20,
                  {{"HOME", "/nowhere"}, {"SLURM_TIME_FORMAT", "%s"}});
  EXPECT_EQ(result.out, "/nowhere %s\n");
  EXPECT_EQ(result.status, 0);
}

TEST(Command, ExplainsWhyAProgramCannotBeStarted) {
  const auto result = run_command({"no-such-program-here"}, 20);
  EXPECT_EQ(result.status, 127);
  EXPECT_EQ(result.err, "no-such-program-here: No such file or directory");
}

TEST(Command, GivesTheSignalThatEndedIt) {
  EXPECT_EQ(shell("kill -TERM $$").status, 128 + 15);
}

struct LateCase {
  const char* what;
  const char* script;
};
class CommandLimit : public testing::TestWithParam<LateCase> {};

TEST_P(CommandLimit, EndsItWithAllItStarted) {
  const auto start = std::chrono::steady_clock::now();
  const auto result = shell(GetParam().script, 0.3);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_TRUE(result.timed_out) << GetParam().what;
  EXPECT_EQ(result.out, "begun\n");
  EXPECT_LT(took.count(), 60.0) << "the sleep of 100 s was waited for";
}

INSTANTIATE_TEST_SUITE_P(
    Programs, CommandLimit,
    testing::Values(
        LateCase{"sleeps", "echo begun; exec sleep 100"},
        LateCase{"a child of its own sleeps", "echo begun; sleep 100; true"},
        LateCase{"only a child lives and holds the stream", "echo begun; sleep 100 & exit 0"},
        LateCase{"lives on with its streams closed", "echo begun; exec >&- 2>&-; sleep 100"},
        LateCase{"ignores the polite signals", "trap '' TERM INT HUP; echo begun; sleep 100"}));

}  // namespace
}  // namespace epochcast::process
