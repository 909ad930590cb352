// A first experiment from a command line, and back: what it would run.
#include "jobs/experiment/first_experiment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs/experiment/experiment.hpp"
#include "jobs/experiment/program.hpp"
#include "src/base/core/command_words.hpp"
#include "tests/jobs/support.hpp"

namespace epochcast::jobs {
namespace {

using test::error_of;
using test::TempFolder;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Words = std::vector<std::string>;

/// The words that the experiment's only point runs.
Words run_by(const FirstExperiment& first) {
  const auto experiment = experiment_from(run::yaml::parse_text(first.text, "first.yaml"));
  Words words;
  for (const auto& word : experiment.program.command) {
    words.push_back(fill_placeholders(word, experiment.settings));
  }
  return words;
}

TEST(FirstExperiment, RunsWhatWasGiven) {
  const std::vector<Words> commands{
      {"python3", "train.py", "--epochs", "10"},
      {"python3", "-u", "train.py", "--epochs=10", "--lr", "1e-3", "-b", "64", "--no-cuda"},
      {"python", "train.py", "config/small.py", "--max_iters=2000", "--dropout=0.0"},
      {"torchrun", "--nproc_per_node=2", "train.py", "--num_train_epochs", "3"},
      {"python3", "-m", "pkg.train", "trainer.max_epochs=5", "model.lr=-0.5"},
      {"./train", "--steps", "100"},
      {"a",  "{x}", "$HOME", "it's", "\"q\"", "two\nlines", "\t",   "",    "~",  "null",
       "-",  "--",  "é",     "#",    ": a",   "- b",        "100%", "\\n", "&a", "*b",
       "!c", "%d",  "@e",    "`f`",  "[g",    "]",          ",",    "?"}};
  for (const auto& words : commands) {
    const auto first = first_experiment(words, "/data/{me}/it's \"here\"", "");
    EXPECT_EQ(run_by(first), words) << first.text;
  }
}

TEST(FirstExperiment, NumbersBecomeSettings) {
  const auto first = first_experiment({"python3", "train.py", "--max-epochs", "10", "--lr=0.1",
                                       "--model", "resnet18", "--weight-decay", "1e-4"},
                                      "/data", "");
  EXPECT_THAT(first.settings, ElementsAre("epochs", "lr", "weight_decay"));
  EXPECT_EQ(first.name, "train");
  EXPECT_TRUE(first.has_length);
  EXPECT_THAT(first.text, HasSubstr("command: [python3, train.py, --max-epochs, \"{epochs}\", "
                                    "\"--lr={lr}\", --model, resnet18, --weight-decay, "
                                    "\"{weight_decay}\"]\n"));
  EXPECT_THAT(first.text, HasSubstr("pilot: {epochs: 2}"));
}

TEST(FirstExperiment, OptionsOfTheLauncherAndNamesOfEpochcastStayAsTheyAre) {
  const auto first = first_experiment({"torchrun", "--nproc_per_node", "2", "t.py", "--gpus", "2",
                                       "--repeats", "3", "--epochs", "-1", "--epochs", "x"},
                                      "/data", "");
  EXPECT_THAT(first.settings, IsEmpty()) << "-1 is no number of epochs";
}

TEST(FirstExperiment, EnvironmentAndInputsAreTaken) {
  const TempFolder folder;
  folder.write("train.py", "");
  folder.write("data/x", "");
  folder.write("out/x", "");
  const auto first = first_experiment({"env", "A=1", "B=x y", "python3", "train.py", "--data",
                                       "data", "--output_dir", "out", "--cache=nowhere", "."},
                                      folder / "", "mine");
  const auto program = experiment_from(run::yaml::parse_text(first.text, "x.yaml")).program;
  EXPECT_EQ(first.name, "mine");
  ASSERT_EQ(program.environment.size(), 2U);
  EXPECT_EQ(program.environment[1].name, "B");
  EXPECT_EQ(program.environment[1].value, "x y");
  EXPECT_THAT(program.inputs, ElementsAre("train.py", "data"));
  EXPECT_THAT(program.command, ElementsAre("python3", "train.py", "--data", "data", "--output_dir",
                                           "out", "--cache=nowhere", "."));
}

TEST(FirstExperiment, PlaceholdersThatAlwaysHaveAValueStaySuch) {
  const auto first = first_experiment({"a", "--save={work}/x", "{y}{cpus}"}, "/data", "");
  EXPECT_THAT(experiment_from(run::yaml::parse_text(first.text, "x.yaml")).program.command,
              ElementsAre("a", "--save={work}/x", "{{y}}{cpus}"));
}

TEST(FirstExperiment, ACommandNeedsAProgram) {
  EXPECT_EQ(error_of([] { first_experiment({"A=1"}, "/data", ""); }),
            "found no program behind the environment variables");
}

TEST(CommandOptions, KnowTheUsualNamesOfALength) {
  for (const auto* name : {"epochs", "num_epochs", "num-train-epochs", "max_epochs", "n_epochs",
                           "trainer.max_epochs"}) {
    EXPECT_EQ(setting_name(name, "3"), "epochs") << name;
  }
  for (const auto* name : {"max_steps", "max-iters", "total_steps", "iterations"}) {
    EXPECT_EQ(setting_name(name, "3"), "steps") << name;
  }
  EXPECT_EQ(setting_name("num_train_epochs", "3.0"), "epochs");
  EXPECT_EQ(setting_name("num_train_epochs", "0.5"), "num_train_epochs");
  EXPECT_EQ(setting_name("max_steps", "-1"), "max_steps");
  EXPECT_EQ(setting_name("warmup_epochs", "3"), "warmup_epochs");
}

TEST(CommandOptions, ThoseOfALauncherAreNotTheScripts) {
  EXPECT_THAT(options_of({"torchrun", "--nnodes=1", "t.py"}), IsEmpty());
}

}  // namespace
}  // namespace epochcast::jobs
