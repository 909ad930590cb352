#include "jobs/experiment/experiment.hpp"

#include <gtest/gtest.h>

#include "tests/jobs/support.hpp"

namespace epochcast::jobs {
namespace {

using test::error_of;

Experiment read_experiment_text(const std::string& text,
                                const std::vector<std::string>& sets = {}) {
  return experiment_from(run::yaml::parse_text(text, "x.yaml"), sets);
}

std::vector<std::string> column(const Axis& axis, std::size_t at = 0) {
  std::vector<std::string> values;
  for (const auto& row : axis.rows) {
    values.push_back(row[at]);
  }
  return values;
}

TEST(Experiment, ReadsEverythingTheDesignPageShows) {
  const auto experiment = read_experiment_text(R"(
name: lab
model: {name: mlp, depth: 10}
dataset: {name: images, path: /data/pokemon}
batch: 256
sweep:
  epochs: [1, 20]
repeats: 3
allocations: [cpu2, t4]
override:
  cpu2: {batch: 64}
)");
  EXPECT_EQ(experiment.name, "lab");
  EXPECT_EQ(experiment.settings, (Settings{{"model", "mlp"},
                                           {"model.depth", "10"},
                                           {"dataset", "images"},
                                           {"dataset.path", "/data/pokemon"},
                                           {"batch", "256"}}));
  ASSERT_EQ(experiment.sweep.size(), 1U);
  EXPECT_EQ(column(experiment.sweep[0]), (std::vector<std::string>{"1", "20"}));
  EXPECT_EQ(experiment.repeats, 3);
  EXPECT_EQ(experiment.allocations, (std::vector<std::string>{"cpu2", "t4"}));
  EXPECT_EQ(experiment.overrides.at("cpu2"), (Settings{{"batch", "64"}}));
}

TEST(Experiment, TheOptionsOfATaskAreGroupsWithoutAName) {
  const auto experiment = read_experiment_text(R"(
name: serve
task: serve
serve: {batch: 8, batch_wait: 5ms}
load.arrivals: closed
sweep:
  load.stages: [study, "1:10s,2:10s"]
)",
                                               {"serve.batch=16"});
  EXPECT_EQ(experiment.settings, (Settings{{"task", "serve"},
                                           {"serve.batch", "8"},
                                           {"serve.batch_wait", "5ms"},
                                           {"load.arrivals", "closed"},
                                           {"serve.batch", "16"}}));
  EXPECT_EQ(column(experiment.sweep[0]), (std::vector<std::string>{"study", "1:10s,2:10s"}));
}

TEST(Experiment, WrongOptionsOfATaskAreRefusedWithTheirLine) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"name: x\nserve: {bacth: 8}",
       "x.yaml:2: serve.bacth: unknown option of task serve; did you mean 'batch'?"},
      {"name: x\nserve: {batch: 0}", "x.yaml:2: serve.batch: found '0', expected a value >=1"},
      {"name: x\nserve: 8",
       "x.yaml:2: found '8', expected a group of options, such as 'serve: {batch: ...}'"},
      {"name: x\nload: [1]",
       "x.yaml:2: found a list, expected a group of options, such as 'load: {arrivals: ...}'"},
      {"name: x\nlaod: {stages: study}", "x.yaml:2: unknown key 'laod'; did you mean 'load'?"},
  };
  for (const auto& [text, message] : wrong) {
    EXPECT_EQ(error_of([&] { read_experiment_text(text); }), message);
  }
}

TEST(Experiment, ARangeHasBothItsEnds) {
  EXPECT_EQ(column(read_experiment_text("name: x\nsweep: {model.depth: 2..5}").sweep[0]),
            (std::vector<std::string>{"2", "3", "4", "5"}));
  EXPECT_EQ(column(read_experiment_text("name: x\nsweep: {seed: [1, 7..8]}").sweep[0]),
            (std::vector<std::string>{"1", "7", "8"}));
}

TEST(Experiment, ZipPairsListsAndExcludeTakesListsOfValues) {
  const auto experiment = read_experiment_text(R"(
name: x
sweep:
  zip: {batch: [64, 256], model.depth: [2, 3]}
  exclude: [{batch: 64, allocation: [a, b]}]
)");
  EXPECT_EQ(experiment.sweep[0].names, (std::vector<std::string>{"batch", "model.depth"}));
  EXPECT_EQ(experiment.sweep[0].rows,
            (std::vector<std::vector<std::string>>{{"64", "2"}, {"256", "3"}}));
  EXPECT_EQ(experiment.exclude[0].rows,
            (std::vector<std::vector<std::string>>{{"64", "a"}, {"64", "b"}}));
}

TEST(Experiment, SetReplacesWhereTheFileHasTheKey) {
  const std::string text = "name: x\nbatch: 64\nsweep: {epochs: [1, 5]}\n";
  EXPECT_EQ(column(read_experiment_text(text, {"epochs=1,20"}).sweep[0]),
            (std::vector<std::string>{"1", "20"}));
  EXPECT_EQ(column(read_experiment_text(text, {"sweep.epochs=[1, 20]"}).sweep[0]),
            (std::vector<std::string>{"1", "20"}));
  EXPECT_EQ(*find_setting(read_experiment_text(text, {"batch=8"}).settings, "batch"), "8");
  EXPECT_EQ(
      *find_setting(read_experiment_text(text, {"dataset.path=/a,b: c"}).settings, "dataset.path"),
      "/a,b: c");
  EXPECT_EQ(read_experiment_text(text, {"allocations=a,b"}).allocations,
            (std::vector<std::string>{"a", "b"}));
  const auto swept = read_experiment_text(text, {"batch=[64, 256]"});
  EXPECT_EQ(find_setting(swept.settings, "batch"), nullptr);
  EXPECT_EQ(column(swept.sweep[1]), (std::vector<std::string>{"64", "256"}));
}

TEST(Experiment, ACommandTakesAnyNamesItsPlaceholdersHave) {
  const auto experiment = read_experiment_text(
      "name: x\ncommand: [python3, t.py, --lr, '{lr}', '{{literal}}']\nsweep: {lr: [0.1, 0.2]}");
  EXPECT_EQ(column(experiment.sweep[0]), (std::vector<std::string>{"0.1", "0.2"}));
}

TEST(Experiment, ATypingErrorInThePlaceholderIsThePlaceholders) {
  const auto problem = [](const std::string& rest) {
    return test::error_of(
        [&] { read_experiment_text("name: x\ncommand: [t, '--lr={lrr}']\n" + rest); });
  };
  EXPECT_EQ(problem("lr: 0.1"), "x.yaml:2: command: {lrr} has no value; did you mean 'lr'?");
  EXPECT_EQ(problem("sweep: {lr: [0.1, 0.2]}"),
            "x.yaml:2: command: {lrr} has no value; did you mean 'lr'?");
  EXPECT_EQ(problem("lrr: 0.1\nlr: 0.1"), "x.yaml:4: unknown key 'lr'; did you mean 'lrr'?")
      << "the placeholder has a value";
}

TEST(Experiment, BadFilesGetOneLineWithPlaceFoundAndExpected) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"name: x\nbacth: 3", "x.yaml:2: unknown key 'bacth'; did you mean 'batch'?"},
      {"name: x\nbatch: many", "x.yaml:2: batch: found 'many', expected a whole number"},
      {"name: x\nbatch: 0", "x.yaml:2: batch: found '0', expected a value >=1"},
      {"name: x\nprocedure: referense",
       "x.yaml:2: procedure: found 'referense', expected one of optimized, reference; did you mean "
       "'reference'?"},
      {"name: x\nmax_time: 90",
       "x.yaml:2: max_time: found '90', expected a duration with units, such as 90m, 1h30m or 45s "
       "(Slurm reads a bare number as minutes, YAML reads 1:30:00 as 5400)"},
      {"name: x\nmax_time: 1:30:00",
       "x.yaml:2: max_time: found '1:30:00', expected a duration with units, such as 90m, 1h30m "
       "or 45s (Slurm reads a bare number as minutes, YAML reads 1:30:00 as 5400)"},
      {"batch: 3", "x.yaml:1: found no name, expected 'name: ...'"},
      {"name: ''", "x.yaml:1: found '', expected one line of text"},
      {"name: \"a\\nb\"", "x.yaml:1: found 'a\nb', expected one line of text"},
      {"name: x\nrepeats: 0", "x.yaml:2: repeats: found '0', expected a whole number >=1"},
      {"name: x\nretry: {timeout: restart}",
       "x.yaml:2: retry.timeout: found 'restart', expected one of resume, none"},
      {"name: x\nretry: {timeout: resume, attempts: 0}",
       "x.yaml:2: retry.attempts: found '0', expected a value >=1"},
      {"name: x\nretry: {failed: requeue}",
       "x.yaml:2: retry.failed: found 'requeue', expected one of restart, resume, none"},
      {"name: x\nretry: {out_of_memory: {memory: 0.5x}}",
       "x.yaml:2: retry.out_of_memory.memory: found '0.5', expected a value >=1"},
      {"name: x\nretry: {node_failure: {exclude_nodes: true}}",
       "x.yaml:2: retry.node_failure: unknown key 'exclude_nodes'; did you mean 'exclude_node'?"},
      {"name: x\nretry: {timout: resume}",
       "x.yaml:2: retry: unknown key 'timout'; did you mean 'timeout'?"},
      {"name: x\ncommand: [train]\nretry: {timeout: resume}",
       "x.yaml:3: retry: each attempt would start over; add 'resume:'"},
      {"name: x\nrepeat: 2",
       "x.yaml:2: 'repeat' is the number of a repeat and cannot be set; write 'repeats: N'"},
      {"name: x\nbatch: [1, 2]",
       "x.yaml:2: found a list for 'batch', expected a single value; lists belong under 'sweep:'"},
      {"name: x\nmodel: {depth: 3}", "x.yaml:2: found no name, expected 'model: {name: ..., ...}'"},
      {"name: x\nsweep:\n  epocs: [1]", "x.yaml:3: unknown key 'epocs'; did you mean 'epochs'?"},
      {"name: x\nsweep:\n  epochs: [1, x]", "x.yaml:3: epochs: found 'x', expected a whole number"},
      {"name: x\nsweep:\n  epochs: [1, 2, 1]", "x.yaml:3: 'epochs' has the value '1' twice"},
      {"name: x\nsweep:\n  epochs: []",
       "x.yaml:3: found no values for 'epochs', expected at least one"},
      {"name: x\nsweep:\n  epochs: 5..2",
       "x.yaml:3: found the range '5..2', expected the smaller number first and at most "
       "10000000 values"},
      {"name: x\nepochs: 3\nsweep:\n  epochs: [1]",
       "x.yaml:4: 'epochs' is swept here and has a single value on line 2"},
      {"name: x\nsweep:\n  epochs: [1]\n  zip: {epochs: [2], batch: [3]}",
       "x.yaml:4: 'epochs' is swept twice"},
      {"name: x\nsweep:\n  zip: {epochs: [1, 2], batch: [3]}",
       "x.yaml:3: zip: found 1 values of 'batch', expected 2 as of 'epochs'"},
      {"name: x\nexclude: [{epoch: 3}]", "x.yaml:2: unknown key 'epoch'; did you mean 'epochs'?"},
      {"name: x\nsweep: {batch: [1]}\noverride: {cpu2: {batch: 64}}",
       "x.yaml:3: override: 'batch' is swept; use 'exclude:' to drop values on 'cpu2'"},
      {"name: x\ncommand: [a, '{lr}']", "x.yaml:2: command: {lr} has no value; add 'lr: ...'"},
      {"name: x\ncommand: [a, '{lr}']\nlr: 1\nbatch: 3",
       "x.yaml:4: unknown key 'batch'; known: allocations, checkpoint_lead, checkpoint_signal, "
       "command, environment, exclude, folder, hook, inputs, metrics, name, notify, outputs, "
       "override, "
       "pack, "
       "pilot, progress, repeats, resume, retry, sweep, zip, lr, epochs, steps, parameters, "
       "flops_per_token, sequence_length, precision, eval_every, eval_from, checkpoint_every"},
      {"name: x\ncommand: python3 train.py",
       "x.yaml:2: command: found one text with blanks, expected a list of words, such as "
       "[python3, train.py]"},
      {"name: x\ncommand: ['{lr']",
       "x.yaml:2: command: found '{lr' with a '{' that is not closed; write '{{' for a brace"},
      {"- a", "x.yaml:1: found a list, expected an experiment: a group of keys"},
      {"name: [", "x.yaml:1: is not YAML: end of sequence flow not found"},
      {"name: x\nname: y", "x.yaml:2: found key 'name' a second time"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_EQ(error_of([&, text = text] { read_experiment_text(text); }), message) << text;
  }
  EXPECT_EQ(error_of([] { read_experiment_text("name: x", {"batch"}); }),
            "found 'batch', expected KEY=VALUE");
  EXPECT_EQ(error_of([] { read_experiment_text("name: x", {"bacth=3"}); }),
            "--set bacth:1: unknown key 'bacth'; did you mean 'batch'?");
}

}  // namespace
}  // namespace epochcast::jobs
