#include "src/cli/documents.hpp"

#include <gmock/gmock.h>

#include "src/process/command.hpp"
#include "tests/files.hpp"

namespace epochcast::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

int last_run = 0;

Program program() {
  const auto run = [](const Arguments& arguments) {
    last_run = arguments.has("every-epoch") ? 2 : 1;
    return int{exit_done};
  };
  return {"epochcast-test",
          "Tests [brackets], 'quotes' and a: colon.",
          {{"update-limits",
            {.usage = "epochcast-test update-limits OUT",
             .summary = "Lowers limits",
             .example = "epochcast-test update-limits out",
             .options = {{.name = "format",
                          .value = "FORMAT",
                          .meaning = "One of text|csv",
                          .default_value = "text",
                          .choices = {"text", "csv"}},
                         {.name = "every-epoch",
                          .value = "",
                          .meaning = "It's a switch: [yes]",
                          .old_names = {"every_epoch"}}}},
            run,
            "lower"},
           {"status",
            {.usage = "epochcast-test status",
             .summary = "Prints the state",
             .example = "",
             .options = {}},
            run}}};
}

struct Printed {
  int status;
  std::string out;
};

Printed run_with(const std::vector<std::string>& words) {
  testing::internal::CaptureStdout();
  const int status = run_subcommand(program(), words);
  std::fflush(stdout);
  return {status, testing::internal::GetCapturedStdout()};
}

TEST(Programs, AcceptOldNamesOfSubcommandsAndOptionsWithoutShowingThem) {
  EXPECT_EQ(run_with({"lower", "--every_epoch"}).status, exit_done);
  EXPECT_EQ(last_run, 2);
  EXPECT_EQ(run_with({"update-limits"}).status, exit_done);
  EXPECT_EQ(last_run, 1);
  EXPECT_THAT(run_with({"--help"}).out, testing::Not(HasSubstr("lower ")));
  EXPECT_THAT(run_with({"update-limits", "--help"}).out, testing::Not(HasSubstr("every_epoch")));
}

TEST(Programs, HaveAVersionAndTheHelpOfASubcommand) {
  EXPECT_THAT(run_with({"--version"}).out, testing::StartsWith("epochcast-test "));
  EXPECT_EQ(run_with({"help", "status"}).out, run_with({"status", "--help"}).out);
  EXPECT_EQ(run_with({"help"}).out, run_with({"--help"}).out);
  EXPECT_EQ(error_of([] {
              run_with({"help", "statsu"});
            }),
            "unknown subcommand 'statsu'; did you mean 'status'?");
}

TEST(Documents, TheReferenceHasEverySubcommandAndOption) {
  const auto page = reference_page(program());
  EXPECT_THAT(page, HasSubstr("## epochcast-test update-limits\n"));
  EXPECT_THAT(page, HasSubstr("| `--format FORMAT` | `text` | One of text\\|csv |"));
  EXPECT_THAT(page, HasSubstr("## epochcast-test status\n"));
}

/// What bash offers after these words, the last of which is being typed.
std::vector<std::string> completions(const std::string& words) {
  const TemporaryFolder folder;
  set_bytes(folder / "script", completion_script(program(), "bash"));
  const auto result =
      process::run_command({"bash", "-c",
                            "source " + (folder / "script") + "; COMP_WORDS=(" + words +
                                "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _epochcast_test; printf "
                                "'%s\\n' \"${COMPREPLY[@]}\""},
                           20);
  EXPECT_EQ(result.err, "");
  auto lines = split(result.out, '\n');
  lines.pop_back();
  return lines;
}

TEST(Completion, BashOffersSubcommandsOptionsAndValues) {
  EXPECT_THAT(completions("epochcast-test up"), ElementsAre("update-limits"));
  EXPECT_THAT(completions("epochcast-test update-limits --"),
              UnorderedElementsAre("--help", "--format", "--every-epoch"));
  EXPECT_THAT(completions("epochcast-test update-limits --format ''"), ElementsAre("text", "csv"));
  EXPECT_THAT(completions("epochcast-test update-limits --format = c"), ElementsAre("csv"));
  EXPECT_THAT(completions("epochcast-test help st"), ElementsAre("status"));
}

TEST(Completion, ZshUnderstandsItsScript) {
  if (!process::run_command({"zsh", "-c", "true"}, 20).ok()) {
    GTEST_SKIP() << "no zsh on this machine";
  }
  const TemporaryFolder folder;
  set_bytes(folder / "script", completion_script(program(), "zsh"));
  const auto result = process::run_command({"zsh", "-n", folder / "script"}, 20);
  EXPECT_TRUE(result.ok()) << result.err;
}

TEST(ManPage, GroffFindsNothingToWarnOf) {
  if (!process::run_command({"groff", "--version"}, 20).ok()) {
    GTEST_SKIP() << "no groff on this machine";
  }
  const TemporaryFolder folder;
  set_bytes(folder / "page", man_page(program()));
  const auto result =
      process::run_command({"groff", "-man", "-ww", "-Tascii", "-z", folder / "page"}, 20);
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.err, "");
}

TEST(Completion, OtherShellsAreRefused) {
  EXPECT_EQ(error_of([] { completion_script(program(), "fish"); }),
            "--completion: found 'fish', expected one of bash, zsh");
}

}  // namespace
}  // namespace epochcast::cli
