#include "src/base/cli/subcommand.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "src/base/cli/key_table.hpp"
#include "tests/files.hpp"

namespace epochcast::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Program program() {
  return {.name = "epochcast-demo",
          .summary = "Shows a program.",
          .commands =
              {{"update-limits",
                {.usage = "epochcast-demo update-limits OUT",
                 .summary = "Lowers time limits.",
                 .example = "epochcast-demo update-limits out",
                 .options = {{.name = "kind,k",
                              .value = "KIND",
                              .meaning = "Which kind",
                              .choices = {"fast", "slow"}},
                             {.name = "dry-run", .value = "", .meaning = "Only print"}},
                 .positional = "OUT"},
                [](const Arguments& arguments) { return arguments.has("dry-run") ? 7 : 0; }},
               {"list",
                {.usage = "epochcast-demo list", .summary = "Lists.", .example = "", .options = {}},
                [](const Arguments&) { return 3; }}},
          .libraries = [] { return "LibTorch 9.9"; }};
}

struct Printed {
  int status;
  std::string text;
};

Printed run(const std::vector<std::string>& words) {
  testing::internal::CaptureStdout();
  const int status = run_subcommand(program(), words);
  return {status, testing::internal::GetCapturedStdout()};
}

TEST(Subcommand, RunsUnderItsName) {
  EXPECT_EQ(run({"update-limits", "out", "--dry-run"}).status, 7);
  EXPECT_EQ(run({"list"}).status, 3);
  EXPECT_THAT(run({"--help"}).text, AllOf(HasSubstr("  update-limits  Lowers time limits.\n"),
                                          HasSubstr("  list           Lists.\n")));
  EXPECT_EQ(error_of([] { (void)run_subcommand(program(), {"update-limit"}); }),
            "unknown subcommand 'update-limit'; did you mean 'update-limits'?");
}

TEST(Subcommand, HelpOfASubcommandIsItsHelpPage) {
  const auto page = run({"update-limits", "--help"}).text;
  EXPECT_THAT(page, HasSubstr("usage: epochcast-demo update-limits OUT\n"));
  EXPECT_EQ(run({"help", "update-limits"}).text, page);
  EXPECT_EQ(run({"help"}).text, run({"--help"}).text);
}

TEST(Subcommand, VersionNamesProgramRevisionAndLibraries) {
  const auto printed = run({"--version"});
  EXPECT_EQ(printed.status, exit_done);
  EXPECT_THAT(printed.text,
              testing::MatchesRegex("epochcast-demo [0-9.]+ \\(revision [^)]+\\)\nLibTorch 9.9\n"));
}

/// What `shell` prints for `script`; nothing if the machine has no such shell.
std::string output_of(const std::string& command) {
  std::string output;
  FILE* pipe = popen(command.c_str(), "r");
  for (int c = fgetc(pipe); c != EOF; c = fgetc(pipe)) {
    output += static_cast<char>(c);
  }
  return pclose(pipe) == 0 ? output : output + "(failed)";
}

bool has_program(const std::string& name) {
  return std::system(("command -v " + name + " >/dev/null 2>&1").c_str()) == 0;
}

/// The words that bash proposes after `words`, the last of which is being completed.
std::string completed(const std::string& words, int position) {
  const TemporaryFolder folder;
  set_bytes(folder / "c.bash", completion_script(program(), "bash") +
                                   "COMP_WORDS=(epochcast-demo " + words +
                                   ")\nCOMP_CWORD=" + std::to_string(position) +
                                   "\n_epochcast_demo\nprintf '%s ' \"${COMPREPLY[@]}\"\n");
  return output_of("bash --norc " + (folder / "c.bash") + " 2>&1");
}

TEST(Completion, BashProposesSubcommandsOptionsAndValues) {
  if (!has_program("bash")) {
    GTEST_SKIP() << "no bash";
  }
  EXPECT_EQ(completed("up", 1), "update-limits ");
  EXPECT_EQ(completed("--v", 1), "--version ");
  EXPECT_EQ(completed("update-limits --", 2), "--kind --dry-run --help ");
  EXPECT_EQ(completed("update-limits --kind f", 3), "fast ");
  EXPECT_EQ(completed("update-limits --kind = s", 4), "slow ");
  EXPECT_EQ(completed("update-limits --kind =", 3), "fast slow ");
  EXPECT_EQ(completed("list --", 2), "--help ");
  const TemporaryFolder folder;
  set_bytes(folder / "c.bash", completion_script(program(), "bash") + "complete -p\n");
  EXPECT_EQ(output_of("bash --norc " + (folder / "c.bash")),
            "complete -o default -F _epochcast_demo epochcast-demo\n");
}

TEST(Completion, ZshAcceptsItsScript) {
  EXPECT_THAT(completion_script(program(), "zsh"), HasSubstr("#compdef epochcast-demo\n"));
  if (!has_program("zsh")) {
    GTEST_SKIP() << "no zsh";
  }
  const TemporaryFolder folder;
  set_bytes(folder / "_demo", completion_script(program(), "zsh"));
  EXPECT_EQ(output_of("zsh -n " + (folder / "_demo") + " 2>&1"), "");
}

TEST(Completion, ZshCompletesAtTheFirstTab) {
  if (!has_program("zsh")) {
    GTEST_SKIP() << "no zsh";
  }
  const TemporaryFolder folder;
  set_bytes(folder / "_epochcast-demo", completion_script(program(), "zsh"));
  // An interactive zsh in a pseudo-terminal.
  set_bytes(folder / "tab.zsh",
            "zmodload zsh/zpty; zpty w 'zsh -f -i'\n"
            "zpty -w w 'fpath=(" +
                folder.path() +
                " $fpath); autoload -Uz compinit; "
                "compinit -u -D; PS1=rea\"dy> \"'\n"
                "zpty -r -m w out '*ready>*'\n"
                "zpty -n -w w $'epochcast-demo up\\t'\n"
                "zpty -r -m w out '*update-limits*' && print completed\n"
                "zpty -d w\n");
  EXPECT_EQ(output_of("timeout 20 zsh -f " + (folder / "tab.zsh") + " 2>&1"), "completed\n");
}

TEST(Completion, AnUnknownShellIsAnError) {
  EXPECT_EQ(error_of([] {
              (void)run_subcommand(program(), {"--completion", "fish"});
            }),
            "--completion: found 'fish', expected bash or zsh");
  EXPECT_EQ(error_of([] { (void)run_subcommand(program(), {"--completion"}); }),
            "option '--completion' needs a value");
}

TEST(ManualPage, HasEverySubcommandAndOption) {
  const auto page = manual_page(program());
  EXPECT_THAT(page, AllOf(HasSubstr(".TH epochcast-demo 1"), HasSubstr(".SS update\\-limits\n"),
                          HasSubstr("\\fB\\-k\\fR, \\fB\\-\\-kind\\fR=\\fIKIND\\fR\nWhich kind.\n"),
                          HasSubstr(".SH EXIT STATUS")));
  const TemporaryFolder folder;
  set_bytes(folder / "demo.1", page);
  if (has_program("mandoc")) {
    EXPECT_EQ(output_of("mandoc -T lint -W error " + (folder / "demo.1") + " 2>&1"), "");
  } else if (has_program("groff")) {
    EXPECT_EQ(output_of("groff -man -Tascii -ww -z " + (folder / "demo.1") + " 2>&1"), "");
  } else {
    GTEST_SKIP() << "neither mandoc nor groff";
  }
}

TEST(Reference, ShowsEveryHelpPageAndListsKeys) {
  const auto text = run({"--reference", "commands"}).text;
  EXPECT_THAT(text, AllOf(HasSubstr("## epochcast-demo\n"),
                          HasSubstr("### epochcast-demo update-limits\n\n```text\nusage: ")));
  EXPECT_EQ(error_of([] {
              (void)run_subcommand(program(), {"--reference", "comands"});
            }),
            "--reference: unknown page 'comands'; did you mean 'commands'?");
  EXPECT_EQ(key_table({{"device", "text", "cpu", "1", "a|b", "cpu|cuda"},
                       {"batch", "integer", "", "samples", "Batch size", ">=1"}}),
            "* `device` (text, `cpu|cuda`) [`cpu`]: a|b\n"
            "* `batch` (integer, samples, `>=1`): Batch size\n");
}

TEST(Reference, ShowsAnOptionOfSeveralSubcommandsOnce) {
  auto both = program();
  both.commands[1].spec.options = {
      {.name = "dry-run", .value = "", .meaning = "Only print"},
      {.name = "kind,k", .value = "KIND", .meaning = "Another meaning", .default_value = "fast"}};
  const auto text = command_reference(both);
  EXPECT_THAT(text, AllOf(HasSubstr("update-limits out\n```\n\nShared options: `--dry-run`.\n"),
                          HasSubstr("Another meaning [fast]\n```\n"),
                          HasSubstr("\n### Shared options of epochcast-demo\n\n"
                                    "* `--dry-run`: Only print\n"),
                          Not(HasSubstr("      --dry-run"))));
}

}  // namespace
}  // namespace epochcast::cli
