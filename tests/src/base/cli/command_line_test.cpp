#include "src/base/cli/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/record/run/allocation.hpp"
#include "tests/files.hpp"

namespace epochcast::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

CommandSpec spec() {
  return {
      .usage = "epochcast-jobs generate EXPERIMENT --cluster C -o OUT",
      .summary = "Writes the scripts of an experiment; submits nothing.",
      .example = "epochcast-jobs generate experiments/lab.yaml --cluster local -o out",
      .options = {{.name = "cluster",
                   .value = "NAME",
                   .meaning = "Cluster profile",
                   .default_value = "local"},
                  {.name = "output,o", .value = "DIR", .meaning = "Where to"},
                  {.name = "set", .value = "KEY=VALUE", .meaning = "Override", .repeated = true},
                  {.name = "seed", .value = "N", .meaning = "Seed"},
                  {.name = "dry-run", .value = "", .meaning = "Only say what would be done"}},
      .positional = "EXPERIMENT...",
      .open_prefixes = {"model.", "dataset."},
      .gone = {{"format", "'table' prints it"}}};
}

TEST(CommandLine, AcceptsOptionsInEveryUsualForm) {
  const auto arguments = parse_command_line(
      spec(), {"a.yaml", "--cluster=rosie", "-o", "out", "--set", "a=1", "--set=b=2", "--dry-run",
               "--model.depth=3", "--seed", "-1", "--dataset.path=", "--", "--model.x", "-b.yaml"});
  EXPECT_EQ(arguments.get("cluster"), "rosie");
  EXPECT_EQ(arguments.get("output"), "out");
  EXPECT_THAT(arguments.all("set"), ElementsAre("a=1", "b=2"));
  EXPECT_EQ(arguments.get("seed"), "-1");
  EXPECT_TRUE(arguments.has("dry-run"));
  EXPECT_THAT(arguments.open(), ElementsAre(Pair("model.depth", "3"), Pair("dataset.path", "")));
  EXPECT_THAT(arguments.positional(), ElementsAre("a.yaml", "--model.x", "-b.yaml"));
}

TEST(CommandLine, OptionsOfACommandNeedTwoDashesBeforeIt) {
  auto runs = spec();
  runs.usage = "epochcast-run [options] -- COMMAND...";
  runs.positional = "COMMAND...";
  EXPECT_EQ(error_of([&] {
              (void)parse_command_line(runs, {"--cluster", "x", "python3", "a.py", "--seed", "1"});
            }),
            "put '--' before the command 'python3', so that '--seed' is an option of the command; "
            "usage: epochcast-run [options] -- COMMAND...");
  EXPECT_THAT(parse_command_line(runs, {"--cluster", "x", "python3", "a.py"}).positional(),
              ElementsAre("python3", "a.py"));
  EXPECT_THAT(parse_command_line(runs, {"-o", "x", "--", "python3", "--seed"}).positional(),
              ElementsAre("python3", "--seed"));
}

TEST(CommandLine, AFlagNeedsNoValue) {
  const CommandSpec flags{
      .usage = "", .summary = "", .example = "", .options = options_of_fields<run::Allocation>()};
  const auto exclusive = [&](const std::vector<std::string>& words) {
    run::Allocation allocation;
    set_fields_from(allocation, parse_command_line(flags, words));
    return allocation.exclusive;
  };
  EXPECT_FALSE(exclusive({}));
  EXPECT_TRUE(exclusive({"--exclusive"}));
  EXPECT_TRUE(exclusive({"--exclusive", "--cpus=2"}));
  EXPECT_TRUE(exclusive({"--exclusive=true"}));
  EXPECT_FALSE(exclusive({"--exclusive=false"}));
  EXPECT_FALSE(exclusive({"--exclusive", "false"}));
}

TEST(CommandLine, WhatIsNotGivenHasItsDefault) {
  const auto arguments = parse_command_line(spec(), {});
  EXPECT_EQ(arguments.get("cluster"), "local");
  EXPECT_EQ(arguments.get("output"), "");
  EXPECT_FALSE(arguments.has("cluster"));
  EXPECT_FALSE(arguments.has("dry-run"));
  EXPECT_THAT(arguments.all("set"), ElementsAre());
}

TEST(CommandLine, MistakesGetOneClearLine) {
  auto without_words = spec();
  without_words.positional = "";
  const struct {
    CommandSpec spec;
    std::vector<std::string> words;
    const char* expected;
  } cases[] = {
      {spec(), {"--clutser", "x"}, "unknown option '--clutser'; did you mean 'cluster'?"},
      {spec(), {"--clus=x"}, "unknown option '--clus'"},
      {spec(), {"--clus", "x"}, "unknown option '--clus'"},
      {spec(), {"-x"}, "unknown option '-x'"},
      {spec(), {"--format=x"}, "unknown option '--format'; 'table' prints it"},
      {spec(), {"--Cluster=x"}, "unknown option '--Cluster'; did you mean 'cluster'?"},
      {spec(), {"--cluster"}, "the required argument for option '--cluster' is missing"},
      {spec(), {"--cluster", "--dry-run"}, "option '--cluster' needs a value, found '--dry-run'"},
      {spec(), {"--dry-run=yes"}, "option '--dry-run' does not take any arguments"},
      {spec(), {"--cluster=a", "--cluster=b"}, "option '--cluster' is given more than once"},
      {spec(), {"--model.depth", "3"}, "option '--model.depth' needs a value: --model.depth=VALUE"},
      {spec(), {"--modle.depth=3"}, "unknown option '--modle.depth'"},
      {without_words, {"word"}, "found 'word', expected no further words"},
  };
  for (const auto& [command, words, expected] : cases) {
    try {
      (void)parse_command_line(command, words);
      ADD_FAILURE() << testing::PrintToString(words) << " was taken";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(expected));
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  }
}

TEST(CommandLine, HelpIsAlwaysUnderstood) {
  EXPECT_TRUE(parse_command_line(spec(), {"--help"}).has("help"));
  EXPECT_TRUE(parse_command_line(spec(), {"-h", "word"}).has("help"));
}

TEST(CommandLine, HelpShowsOptionsDefaultsAndOneExample) {
  const auto text = help_text(spec());
  EXPECT_THAT(text, HasSubstr("usage: epochcast-jobs generate EXPERIMENT --cluster C -o OUT\n"));
  EXPECT_THAT(text, HasSubstr("      --cluster NAME"));
  EXPECT_THAT(text, HasSubstr("Cluster profile [local]\n"));
  EXPECT_THAT(text, HasSubstr("  -o, --output DIR"));
  EXPECT_THAT(
      text,
      HasSubstr("example: epochcast-jobs generate experiments/lab.yaml --cluster local -o out\n"));
}

TEST(CommandLine, ABadNumberNamesItsOptionAndSetsNothing) {
  const auto refusal = [](const std::string& seed) -> std::string {
    std::int64_t value = 7;
    try {
      read_option(parse_command_line(spec(), {"--seed", seed}), "seed", value, ">=1");
    } catch (const Error& error) {
      EXPECT_EQ(value, 7);
      return error.what();
    }
    EXPECT_EQ(std::to_string(value), seed);
    return "";
  };
  EXPECT_EQ(refusal("3"), "");
  EXPECT_EQ(refusal("x"), "--seed: found 'x', expected a whole number");
  EXPECT_EQ(refusal("-3"), "--seed: found '-3', expected a value >=1");
}

struct Sample {
  std::int64_t threads = 2;
  std::int64_t evaluate_every = 0;
  std::string kind = "a";
};

constexpr auto fields_of(Tag<Sample>) {
  return FieldTable{
      Field{"threads", "1", "Threads", &Sample::threads, ">=0"},
      Field{"evaluate_every", "1", "Every", &Sample::evaluate_every, ">=0", "test_period"},
      Field{"kind", "1", "Kind", &Sample::kind, "a|b"}};
}

TEST(CommandLine, OptionsHaveHyphensAndAcceptUnderscores) {
  const CommandSpec command{.usage = "",
                            .summary = "",
                            .example = "",
                            .options = options_of_fields<Sample>(),
                            .open_prefixes = {"model."}};
  for (const auto* word : {"--evaluate-every=7", "--evaluate_every=7"}) {
    Sample sample;
    const auto arguments = parse_command_line(command, {word, "--model.hidden-size=3"});
    set_fields_from(sample, arguments);
    EXPECT_EQ(sample.evaluate_every, 7) << word;
    EXPECT_THAT(arguments.open(), ElementsAre(Pair("model.hidden_size", "3")));
  }
  EXPECT_THAT(help_text(command), HasSubstr("--evaluate-every"));
  EXPECT_THAT(help_text(command), testing::Not(HasSubstr("evaluate_every")));
  EXPECT_THAT(help_text(command), testing::Not(HasSubstr("period")));
  EXPECT_THAT(error_of([&] { (void)parse_command_line(command, {"--evaluate_evry=1"}); }),
              HasSubstr("did you mean 'evaluate-every'?"));
  EXPECT_THAT(error_of([&] {
                (void)parse_command_line(command, {"--evaluate-every=1", "--evaluate_every=2"});
              }),
              HasSubstr("option '--evaluate-every' is given more than once"));
}

TEST(CommandLine, ABadValueOfAFieldNamesItsOption) {
  const CommandSpec command{
      .usage = "", .summary = "", .example = "", .options = options_of_fields<Sample>()};
  Sample sample;
  try {
    set_fields_from(sample, parse_command_line(command, {"--threads=-1"}));
    FAIL() << "no Error was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "--threads: found '-1', expected a value >=0");
  }
}

}  // namespace
}  // namespace epochcast::cli
