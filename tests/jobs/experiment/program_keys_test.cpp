// The keys of a program of the user's: what they become, and what is wrong in a file.
#include "jobs/experiment/program_keys.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs/experiment/experiment.hpp"
#include "jobs/experiment/vocabulary.hpp"
#include "tests/jobs/support.hpp"

namespace epochcast::jobs {
namespace {

using test::error_of;
using testing::ElementsAre;

Program read_program(const std::string& text) {
  return experiment_from(run::yaml::parse_text("name: x\ncommand: [a]\n" + text, "x.yaml")).program;
}

TEST(ProgramKeys, EveryKeyIsRead) {
  const auto program = read_program(R"(
folder: /data/{lr}
environment: {HF_HOME: "/hub/{lr}", EMPTY: "", TOKEN: }
inputs: [train.py, data]
outputs: model.pt
metrics: runs
progress: tqdm
hook: on
pilot: {epochs: 3, time: 5m}
resume: [--resume, work/last.ckpt, --fast, --state=work/state]
checkpoint_signal: USR2
checkpoint_lead: 3m
lr: 0.1
)");
  EXPECT_EQ(program.folder, "/data/{lr}");
  ASSERT_EQ(program.environment.size(), 3U);
  EXPECT_EQ(program.environment[0].value, "/hub/{lr}");
  EXPECT_EQ(program.environment[1].value, "");
  EXPECT_EQ(program.environment[2].value, std::nullopt) << "passed on";
  EXPECT_THAT(program.inputs, ElementsAre("train.py", "data"));
  EXPECT_THAT(program.outputs, ElementsAre("model.pt"));
  EXPECT_EQ(program.metrics, "runs");
  EXPECT_EQ(program.progress, "tqdm");
  EXPECT_EQ(program.hook, true);
  EXPECT_EQ(program.pilot, (PilotOfProgram{.epochs = 3, .time = {300}, .arguments = {}}));
  EXPECT_THAT(program.resume.arguments,
              ElementsAre("--resume", "work/last.ckpt", "--fast", "--state=work/state"));
  EXPECT_THAT(program.resume.files, ElementsAre("work/last.ckpt", "work/state"));
  EXPECT_EQ(program.checkpoint_signal, "SIGUSR2");
  EXPECT_EQ(program.checkpoint_lead, Seconds{180});
}

TEST(ProgramKeys, TheFilesOfResumeMayBeNamed) {
  const auto program = read_program("resume: {arguments: [--resume, auto], if: [a.ckpt, b.ckpt]}");
  EXPECT_THAT(program.resume.arguments, ElementsAre("--resume", "auto"));
  EXPECT_THAT(program.resume.files, ElementsAre("a.ckpt", "b.ckpt"));
  EXPECT_TRUE(read_program("resume: [--auto-resume]").resume.files.empty());
}

TEST(ProgramKeys, ARegularExpressionHasBracesOfItsOwn) {
  EXPECT_EQ(read_program("progress: {pattern: 'e(?<epoch>\\d{1,3})'}").pattern,
            "e(?<epoch>\\d{1,3})");
}

TEST(ProgramKeys, TheWorkMayBeStatedWithoutAPlaceholder) {
  const auto experiment = experiment_from(run::yaml::parse_text(R"(
name: x
command: [a, "{precision}"]
epochs: 7
parameters: 8.03e9
flops_per_token: 5e10
sequence_length: 8192
precision: 16-mixed
eval_every: 500
eval_from: 1000
checkpoint_every: 0.5
)",
                                                                "x.yaml"));
  for (const auto& row : work_keys()) {
    EXPECT_NE(find_setting(experiment.settings, row.name) != nullptr, row.name == "steps");
  }
  EXPECT_EQ(*find_setting(experiment.settings, "parameters"), "8.03e9");
  EXPECT_EQ(*find_setting(experiment.settings, "precision"), "16-mixed") << "the program's word";
}

TEST(ProgramKeys, BadValuesGetOneLineWithPlaceFoundAndExpected) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"enviroment: {A: 1}", "x.yaml:3: unknown key 'enviroment'; did you mean 'environment'?"},
      {"folder: [a]", "x.yaml:3: found a list, expected a single value"},
      {"folder: '{epohcs}'\nepochs: 3",
       "x.yaml:3: folder: {epohcs} has no value; did you mean 'epochs'?"},
      {"outputs: [a,\n  '{lr}']", "x.yaml:4: outputs: {lr} has no value; add 'lr: ...'"},
      {"environment: {A: '{'}",
       "x.yaml:3: environment: found '{' with a '{' that is not closed; write '{{' for a brace"},
      {"environment: {'1A': x}",
       "x.yaml:3: environment: found '1A', expected a name of letters, digits and '_'"},
      {"environment: {UID: 3}", "x.yaml:3: environment: 'UID' cannot be set: bash fixes it"},
      {"inputs: ['']", "x.yaml:3: inputs: found '', expected a file or folder"},
      {"pilot: {epoch: 2}", "x.yaml:3: pilot: unknown key 'epoch'; did you mean 'epochs'?"},
      {"pilot: {epochs: 0}", "x.yaml:3: pilot.epochs: found '0', expected a value >=1"},
      {"pilot: {}",
       "x.yaml:3: pilot: found nothing, expected '{epochs: 2}', '{time: 5m}' or '{arguments: "
       "[...]}'"},
      {"resume: []",
       "x.yaml:3: resume: found no words, expected those that make the program go on, such as "
       "[--resume, work/last.ckpt]"},
      {"progress: {format: tqdm, pattern: a}",
       "x.yaml:3: progress: expected a format or a pattern, one of the two"},
      {"progress: tqmd",
       "x.yaml:3: progress: unknown progress format 'tqmd'; did you mean 'tqdm'?"},
      {"checkpoint_signal: USR3",
       "x.yaml:3: checkpoint_signal: found 'USR3', expected one of USR1, USR2, TERM, INT, HUP, "
       "ALRM; did you mean 'USR1'?"},
      {"parameters: 7B", "x.yaml:3: parameters: found '7B', expected a number"},
      {"parameters: 0", "x.yaml:3: parameters: found '0', expected a value >0"},
      {"sequence_lenght: 512",
       "x.yaml:3: unknown key 'sequence_lenght'; did you mean 'sequence_length'?"},
      {"precision: bf61",
       "x.yaml:3: precision: found 'bf61', expected one of fp32, tf32, fp16, bf16, fp64; did you "
       "mean 'bf16'?"},
      {"sweep: {parameters: [1e9, 2e9]}",
       "x.yaml:2: command: 'parameters' is swept, but {parameters} is not in the command"},
      {"sweep: {epochs: [1, 2]}",
       "x.yaml:2: command: 'epochs' is swept, but {epochs} is not in the command"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_EQ(error_of([&, text = text] { read_program(text); }), message) << text;
  }
  for (const std::string key : {"folder", "flops_per_token"}) {
    EXPECT_EQ(
        error_of([&] {
          std::ignore = experiment_from(run::yaml::parse_text("name: x\n" + key + ": 1", "x.yaml"));
        }),
        "x.yaml:2: " + key + ": there is no 'command:'; this key describes a program of your own");
  }
}

}  // namespace
}  // namespace epochcast::jobs
