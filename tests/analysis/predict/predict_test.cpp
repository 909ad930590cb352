// Every question of `predict`, asked of the program as a user would.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "tests/analysis/program.hpp"
#include "tests/csv_rows.hpp"

namespace epochcast::analysis {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST_F(Program, PredictsFromAMeasuredMachineToAnother) {
  const auto machine = [&](const std::string& name, int tflops) {
    set_bytes(folder_ / (name + ".yaml"),
              fmt::format("label: {}\nnames: [{}]\nsource: measured\nfigures:\n"
                          "  achieved_fp32_tflops: {}\n  achieved_bandwidth_gb_s: {}\n",
                          name, name, tflops, tflops));
    return folder_ / (name + ".yaml");
  };
  auto record = made_record({.epochs = 2});
  record.work.front().iterations_per_epoch = 4;
  write_records({record}, folder_ / "steps");
  const auto answer = analyze({"predict", folder_ / "steps", "--from", machine("old", 1), "--on",
                               machine("new", 2), "--part", "training", "--format", "csv"});
  EXPECT_EQ(answer.status, 0) << answer.err;
  const auto training = csv_row(answer.out, "what", "2 epochs");
  EXPECT_EQ(training.at("here_s"), "21.0");
  EXPECT_EQ(training.at("there_s"), "10.5");
}

TEST_F(Program, PredictsEpochsAndReportsWhatFrom) {
  write_records({made_record({.epochs = 3})}, folder_ / "pilot");
  const auto answer = analyze(
      {"predict", folder_ / "pilot", "--epochs", "50", "--part", "parts", "--format", "csv"});
  EXPECT_EQ(answer.status, 0) << answer.err;
  const auto parts = csv_rows(answer.out).at(0);
  EXPECT_EQ(parts.at("before_s"), "0.0");
  EXPECT_EQ(parts.at("first_step_s"), "11.0");
  EXPECT_EQ(parts.at("other_steps_s"), "490.0");
  EXPECT_EQ(parts.at("behind_epochs_s"), "0.0");
  EXPECT_EQ(parts.at("total_s"), "501.0");
  const auto table = analyze({"predict", folder_ / "pilot", "--epochs", "50", "--format", "csv"});
  const auto row = csv_rows(table.out).at(0);
  EXPECT_EQ(row.at("device"), "cpu");
  EXPECT_EQ(row.at("epochs_seen"), "3");
  EXPECT_EQ(row.at("epochs"), "50");
  EXPECT_EQ(row.at("forecast_s"), "501.0");
  EXPECT_EQ(row.at("naive_s"), "550.0");
  EXPECT_EQ(row.at("class"), "warm-up");
}

// Of a run that stops at a target, the last epoch may be known to be a part.
TEST_F(Program, PredictsAPartOfAnEpoch) {
  write_records({made_record({.epochs = 3})}, folder_ / "pilot");
  const auto predict = [&](const std::string& epochs) {
    return analyze({"predict", folder_ / "pilot", "--epochs", epochs, "--format", "csv"});
  };
  const auto row = csv_rows(predict("49.25").out).at(0);
  EXPECT_EQ(row.at("device"), "cpu");
  EXPECT_EQ(row.at("epochs_seen"), "3");
  EXPECT_EQ(row.at("epochs"), "49.25");
  EXPECT_EQ(row.at("forecast_s"), "493.5");
  for (const std::string wrong : {"0", "-1", "nan", "1e300", "x"}) {
    const auto answer = predict(wrong);
    EXPECT_EQ(answer.status, 2) << wrong;
    EXPECT_THAT(answer.err, HasSubstr("--epochs: ")) << wrong;
  }
}

/// A program that prints every tenth step of 0.5 s, and no epoch.
record::Record printed_steps() {
  auto record = made_record({.epochs = 0});
  record.epochs.clear();
  record.parameters.clear();
  record.work.clear();
  record.iterations.clear();
  for (std::int64_t last = 9; last < 300; last += 10) {
    record.iterations.push_back(
        {.index = last, .start_s = 4 + 0.5 * static_cast<double>(last), .step_s = 0.5});
  }
  return record;
}

TEST_F(Program, PredictsARunOfSteps) {
  auto record = printed_steps();
  write_records({record}, folder_ / "bare");
  const auto refused = analyze({"predict", folder_ / "bare"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.out, HasSubstr("give --epochs N, --steps N or --samples N"));
  const auto asked = analyze({"predict", folder_ / "bare", "--steps", "5000", "--format", "csv"});
  EXPECT_EQ(asked.status, 0) << asked.err;
  const auto row = csv_rows(asked.out).at(0);
  EXPECT_EQ(row.at("epochs_seen"), "0");
  EXPECT_EQ(row.at("epochs"), "");
  EXPECT_EQ(row.at("forecast_s"), "2504.0");
  record.parameters.push_back({.name = "steps", .value = "1000"});
  write_records({record}, folder_ / "stated");
  const auto stated = analyze({"predict", folder_ / "stated"});
  EXPECT_THAT(stated.out, AllOf(HasSubstr("the whole run: 1000 steps"), HasSubstr("504.0")));
  const auto both = analyze({"predict", folder_ / "bare", "--steps", "5", "--epochs", "5"});
  EXPECT_EQ(both.status, 2);
  EXPECT_THAT(both.err, HasSubstr("--epochs and --steps are mutually exclusive"));
  const auto more = analyze({"predict", folder_ / "bare", "--steps", "5", "--gpus", "5"});
  EXPECT_THAT(more.err, HasSubstr("--steps: cannot be combined with --gpus"));
}

/// The text in lines as long as it needs.
std::string unwrapped(std::string text) {
  for (auto at = text.find("\n  "); at != std::string::npos; at = text.find("\n  ", at)) {
    text.replace(at, 3, " ");
  }
  return text;
}

TEST_F(Program, PredictsARunOfTokensOrUntilAnEvaluation) {
  auto record = printed_steps();
  for (auto& row : record.iterations) {
    row.samples = 16;
  }
  for (const int step : {100, 200}) {
    record.spans.push_back({.name = "evaluate_within", .start_s = 4 + 0.5 * step, .duration_s = 0});
  }
  write_records({record}, folder_ / "steps");
  const auto predict = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"predict", folder_ / "steps", "--format", "csv"});
    return analyze(more);
  };
  EXPECT_EQ(csv_rows(predict({"--steps", "1000"}).out).at(0).at("forecast_s"), "504.0");
  for (const auto& [options, note] :
       {std::pair<std::vector<std::string>, std::string>{{"--samples", "16000"},
                                                         "16000 samples are 1000 steps"},
        {{"--tokens", "512000", "--sequence-length=32"},
         "512000 tokens of 32 a sample are 1000 steps"},
        {{"--until", "eval 10"},
         "until evaluation 10: 1000 steps (2 seen, the others each 100 steps)"}}) {
    const auto answer = predict(options);
    EXPECT_EQ(answer.status, 0) << answer.err;
    EXPECT_EQ(csv_rows(answer.out).at(0).at("forecast_s"), "504.0") << note;
    auto words = options;
    words.insert(words.begin(), {"predict", folder_ / "steps"});
    EXPECT_THAT(unwrapped(analyze(words).out), HasSubstr(note));
  }
  const auto unknown = analyze({"predict", folder_ / "steps", "--tokens", "512000"});
  EXPECT_EQ(unknown.status, 1);
  EXPECT_THAT(unwrapped(unknown.out), HasSubstr("does not state how many tokens a sample has"));
  const auto wrong = predict({"--until", "epoch 4"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("--until: found 'epoch 4', expected 'eval N'"));
  const auto both = predict({"--until", "eval 4", "--tokens", "5"});
  EXPECT_THAT(both.err, HasSubstr("--tokens and --until are mutually exclusive"));
  write_records({made_record({.epochs = 3})}, folder_ / "plain");
  const auto none = analyze({"predict", folder_ / "plain", "--until", "eval 4"});
  EXPECT_THAT(unwrapped(none.out), HasSubstr("--until 'eval 4': the record shows no evaluation"));
}

TEST_F(Program, PredictsBlocksInStepsAndTokens) {
  auto record = made_record({.epochs = 4, .batch = 10});  // 1000 samples each
  record.parameters.push_back({.name = "block_work", .value = "samples"});
  record.parameters.push_back({.name = "sequence_length", .value = "100"});
  for (auto& block : record.epochs) {
    block.evaluate_s = 1;
    block.start_s += static_cast<double>(block.epoch);
  }
  write_records({record}, folder_ / "blocks");
  const auto seconds = [&](const std::string& option, const std::string& value) {
    const auto answer = analyze({"predict", folder_ / "blocks", option, value, "--format", "csv"});
    EXPECT_EQ(answer.status, 0) << answer.out << answer.err;
    return csv_rows(answer.out).at(0).at("forecast_s");
  };
  const auto right = seconds("--samples", "10000");
  EXPECT_NEAR(std::stod(right), 10 * 11 + 1, 1);
  EXPECT_EQ(seconds("--steps", "1000"), right);
  EXPECT_EQ(seconds("--tokens", "1000000"), right);
  EXPECT_EQ(seconds("--until", "eval 10"), right);
  record.parameters.erase(std::ranges::find(record.parameters, "epochs",
                                            [](const auto& row) { return row.name.view(); }));
  record.parameters.push_back({.name = "max_steps", .value = "1000"});
  write_records({record}, folder_ / "most");
  const auto most = analyze({"predict", folder_ / "most", "--format", "csv"});
  EXPECT_EQ(csv_rows(most.out).at(0).at("forecast_s"), right) << most.err;
}

TEST_F(Program, PredictsEvaluationsThatAreStated) {
  write_records({printed_steps()}, folder_ / "bare");
  const auto asked = analyze({"predict", folder_ / "bare", "--steps", "5000", "--eval-from", "1000",
                              "--eval-every", "500", "--format", "json"});
  EXPECT_EQ(asked.status, 0) << asked.err;
  EXPECT_THAT(asked.out, HasSubstr("after 1000 units of work, and every 500 after that, was not "
                                   "seen yet: 50 s each is assumed"));
  EXPECT_THAT(asked.out, HasSubstr("2954"));  // 9 of 0.2 of 250 s
  const auto alone = analyze({"predict", folder_ / "bare", "--steps", "9", "--eval-from", "5"});
  EXPECT_EQ(alone.status, 2);
  EXPECT_THAT(alone.err, HasSubstr("--eval-from: goes with --eval-every"));
  const auto more = analyze({"predict", folder_ / "bare", "--eval-every", "5", "--gpus", "5"});
  EXPECT_THAT(more.err, HasSubstr("--eval-every: cannot be combined with --gpus"));
}

/// A machine of measured rates, as measure-device writes it: all of them go with `speed`.
std::string machine_file(const TemporaryFolder& folder, const std::string& name, int speed) {
  const auto path = folder / (name + ".yaml");
  set_bytes(path, fmt::format("label: {}\nnames: [{}]\nsource: measured\nfigures:\n"
                              "  achieved_fp32_tflops: {}\n  achieved_bandwidth_gb_s: {}\n",
                              name, name, speed, speed));
  return path;
}

TEST_F(Program, PredictsAWholeRunOnAnotherMachineInOneQuestion) {
  auto record = made_record({.epochs = 3});
  record.work.front().iterations_per_epoch = 4;
  write_records({record}, folder_ / "pilot");
  const auto answer = analyze(
      {"predict", folder_ / "pilot", "--epochs", "50", "--from", machine_file(folder_, "old", 1),
       "--on", machine_file(folder_, "new", 2), "--part", "run", "--format", "csv"});
  EXPECT_EQ(answer.status, 0) << answer.err;
  const auto run = csv_row(answer.out, "what", "50 epochs");
  EXPECT_EQ(run.at("here_s"), "501.0");
  EXPECT_EQ(run.at("there_s"), "250.5");
}

TEST_F(Program, PredictsMoreWorkersOfAnotherMachine) {
  std::vector<record::Record> records;
  for (const std::int64_t cpus : {1, 2, 4}) {
    records.push_back(made_record({.allocation = fmt::format("cpu{}", cpus),
                                   .epochs = 5,
                                   .epoch_s = 10 + 40 / static_cast<double>(cpus),
                                   .cpus = cpus}));
    records.back().work.front().iterations_per_epoch = 4;
  }
  write_records(records, folder_ / "sizes");
  const auto answer = analyze({"predict", folder_ / "sizes", "--cpus", "8", "--epochs", "100",
                               "--from", machine_file(folder_, "old", 1), "--on",
                               machine_file(folder_, "new", 2), "--format", "csv"});
  EXPECT_EQ(answer.status, 0) << answer.err;
  const auto here = csv_row(answer.out, "source", "forecast");
  EXPECT_EQ(here.at("workers"), "8");
  EXPECT_THAT(here.at("total_s"), StartsWith("150"));
  // 8 CPUs share 5000 s in 625 s each, of 1500: half of that, and what they lose to each other.
  const auto there = csv_rows(answer.out).back();
  EXPECT_EQ(there.at("workers"), "8");
  EXPECT_THAT(there.at("source"), ::testing::MatchesRegex("forecast on .*new.yaml"));
  EXPECT_THAT(there.at("total_s"), ::testing::MatchesRegex("11(8|9).*"));
}

TEST_F(Program, RefusesAWholeRunOnAMachineOfUnknownRatesWithItsReason) {
  auto record = made_record({.epochs = 3});
  record.work.front().iterations_per_epoch = 4;
  write_records({record}, folder_ / "pilot");
  set_bytes(folder_ / "bare.yaml", "label: bare\nnames: [bare]\n");
  const auto answer =
      analyze({"predict", folder_ / "pilot", "--epochs", "50", "--from",
               machine_file(folder_, "old", 1), "--on", folder_ / "bare.yaml", "--part", "run"});
  EXPECT_EQ(answer.status, 1);
  EXPECT_THAT(answer.out, HasSubstr("refused: reference_ratios: 0 other workloads"));
}

TEST_F(Program, PredictsFromUndisturbedRepeatsOrSaysWhatWasDisturbed) {
  const auto disturbed = disturbed_record({.epochs = 3, .repeat = 1, .epoch_s = 25});
  write_records({disturbed, made_record({.epochs = 3, .repeat = 2})}, folder_ / "both");
  const auto clean = analyze({"predict", folder_ / "both", "--epochs", "50", "--format", "csv"});
  EXPECT_EQ(clean.status, 0) << clean.err;
  const auto row = csv_rows(clean.out).at(0);
  EXPECT_EQ(row.at("device"), "cpu");
  EXPECT_EQ(row.at("epochs_seen"), "3");
  EXPECT_EQ(row.at("epochs"), "50");
  EXPECT_EQ(row.at("forecast_s"), "501.0");
  const auto why = analyze({"predict", folder_ / "both", "--part", "excluded", "--format", "csv"});
  EXPECT_THAT(why.out, HasSubstr("disturbed: another process used 50 % of the 2 CPUs during "
                                 "epochs 1 to 3 (in its place: 1 undisturbed run)"));
  write_records({disturbed}, folder_ / "alone");
  const auto alone =
      analyze({"predict", folder_ / "alone", "--epochs", "50", "--format", "markdown"});
  EXPECT_EQ(alone.status, 0) << alone.err;
  EXPECT_THAT(alone.out,
              HasSubstr("was disturbed, and there is no undisturbed repeat of it: another "
                        "process used 50 % of the 2 CPUs"));
}

TEST_F(Program, ExportsDisturbedEpochsOnlyWithoutRepeatsAndPredictEachNamesThem) {
  const auto disturbed = disturbed_record({.epochs = 5, .repeat = 1, .epoch_s = 25});
  write_records({disturbed, made_record({.epochs = 5, .repeat = 2})}, folder_ / "both");
  const auto both = analyze({"export", "epochs", folder_ / "both", "-o", folder_ / "clean"});
  EXPECT_THAT(both.err, HasSubstr("left out: "));
  const auto clean =
      analyze({"predict", folder_ / "clean/epochs.csv", "--each", "1", "--format", "csv"});
  EXPECT_EQ(csv_row(clean.out, "seen", "1").at("disturbed"), "");

  write_records({disturbed}, folder_ / "alone");
  analyze({"export", "epochs", folder_ / "alone", "-o", folder_ / "used"});
  const auto used =
      analyze({"predict", folder_ / "used/epochs.csv", "--each", "1", "--format", "csv"});
  EXPECT_EQ(used.status, 0) << used.err;
  EXPECT_THAT(csv_row(used.out, "seen", "1").at("disturbed"),
              StartsWith("another process used 50 % of the 2 CPUs"));
}

TEST_F(Program, TakesTheTotalThatAStudyPublishedOfAllEpochs) {
  analyze({"import", "published", "lab", "-o", folder_ / "lab"});
  const auto answer = analyze({"predict", folder_ / "lab", "--epochs", "20", "--filter",
                               "allocation=cpu2", "--format", "csv"});
  EXPECT_EQ(answer.status, 0) << answer.err;
  const auto row = csv_row(answer.out, "epochs_seen", "1");
  EXPECT_EQ(row.at("epochs"), "20");
  EXPECT_EQ(row.at("forecast_s"), "30522.1");
  EXPECT_THAT(row.at("low_80_s"), StartsWith("303"));
}

TEST_F(Program, PredictsMoreWorkers) {
  std::vector<record::Record> records;
  for (const std::int64_t cpus : {1, 2, 4}) {
    records.push_back(made_record({.allocation = fmt::format("cpu{}", cpus),
                                   .epochs = 5,
                                   .epoch_s = 10 + 40 / static_cast<double>(cpus),
                                   .cpus = cpus}));
  }
  write_records(records, folder_ / "sizes");
  const auto answer =
      analyze({"predict", folder_ / "sizes", "--cpus", "8", "--epochs", "100", "--format", "csv"});
  EXPECT_EQ(answer.status, 0) << answer.err;
  const auto row = csv_row(answer.out, "source", "forecast");
  EXPECT_EQ(row.at("workers"), "8");
  EXPECT_THAT(row.at("total_s"), StartsWith("150"));
  const auto far = analyze({"predict", folder_ / "sizes", "--cpus", "99"});
  EXPECT_THAT(far.out, HasSubstr("99 is more than twice the 4 measured"));
}

TEST_F(Program, PredictsNoGainWhereTheLastDoublingWonNothing) {
  std::vector<record::Record> records;
  for (const auto& [cpus, epoch_s] :
       std::map<std::int64_t, double>{{1, 61.0}, {2, 32.6}, {4, 34.3}}) {
    records.push_back(made_record(
        {.allocation = fmt::format("cpu{}", cpus), .epochs = 5, .epoch_s = epoch_s, .cpus = cpus}));
  }
  write_records(records, folder_ / "no_gain");
  const auto answer = analyze(
      {"predict", folder_ / "no_gain", "--cpus", "8", "--epochs", "100", "--format", "csv"});
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_EQ(csv_row(answer.out, "source", "forecast").at("total_s"),
            csv_row(answer.out, "workers", "2").at("total_s"));
  const auto why = analyze({"predict", folder_ / "no_gain", "--cpus", "8", "--format", "markdown"});
  EXPECT_THAT(why.out, HasSubstr("no gain: 4 did 0.95"));
}

TEST_F(Program, UsesTheSocketsOfAMachineThatRanOnWhatIsRequested) {
  std::vector<record::Record> records{made_record({.allocation = "a_gpu", .gpu = "Tesla T4"})};
  records.front().machines.front().cores = 2;
  for (const std::int64_t cpus : {1, 2, 4}) {
    auto& record = records.emplace_back(made_record({.allocation = fmt::format("cpu{}", cpus),
                                                     .epochs = 5,
                                                     .epoch_s = 10 + 40 / static_cast<double>(cpus),
                                                     .cpus = cpus}));
    record.machines.front().cores = 10;
    record.machines.front().sockets = 2;
  }
  write_records(records, folder_ / "sockets");
  const auto answer = analyze({"predict", folder_ / "sockets", "--cpus", "8"});
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("beyond 5 begin cores of another socket"));
  EXPECT_THAT(answer.out, ::testing::Not(HasSubstr("that the machine does not have")));
}

TEST_F(Program, PredictsFromRunsThatOnlyLearnDifferently) {
  const auto predicted = [&](const std::string& folder, const std::string& name) {
    std::vector<record::Record> records;
    for (const std::int64_t cpus : {1, 2}) {
      auto& record = records.emplace_back(
          made_record({.allocation = fmt::format("cpu{}", cpus), .epochs = 5, .cpus = cpus}));
      record.parameters.push_back(parameter_row(name, fmt::format("{}", cpus)));
    }
    write_records(records, folder_ / folder);
    return analyze({"predict", folder_ / folder, "--cpus", "4"});
  };
  EXPECT_EQ(predicted("learning", "warmup_updates").status, 0);
  EXPECT_THAT(predicted("evaluating", "evaluate_every").err,
              HasSubstr("the records differ in evaluate_every"))
      << "the whole run takes longer";
}

TEST_F(Program, MakesNoSeriesOfDifferentWork) {
  std::vector<record::Record> records;
  for (const std::int64_t cpus : {1, 2}) {
    auto& record = records.emplace_back(
        made_record({.allocation = fmt::format("cpu{}", cpus), .epochs = 5, .cpus = cpus}));
    record.parameters.push_back(parameter_row("model.depth", fmt::format("{}", 3 * cpus)));
    record.parameters.push_back(parameter_row("optimizer.lr", fmt::format("{}", cpus)));
  }
  write_records(records, folder_ / "depths");
  const auto answer = analyze({"predict", folder_ / "depths", "--cpus", "4"});
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.err, HasSubstr("the records differ in model.depth: '3' and '6'; choose with "
                                    "--filter model.depth=..."));
}

TEST_F(Program, KeepsThreadsOfAProcessAndProcessesApart) {
  std::vector<record::Record> records;
  const auto add = [&](const std::string& name, std::int64_t ranks, std::int64_t cpus,
                       double epoch_s) {
    auto& record = records.emplace_back(
        made_record({.allocation = name, .epochs = 5, .epoch_s = epoch_s, .cpus = cpus}));
    record.machines.resize(static_cast<std::size_t>(ranks), record.machines.front());
  };
  add("one", 1, 1, 40);
  add("threads", 1, 2, 20);
  add("processes", 2, 1, 30);
  write_records(records, folder_ / "ways");
  const auto answer =
      analyze({"predict", folder_ / "ways", "--cpus", "4", "--epochs", "100", "--format", "csv"});
  EXPECT_EQ(answer.status, 0) << answer.err;
  const auto threads = csv_row(answer.out, "source", "forecast (threads of one process)");
  EXPECT_EQ(threads.at("workers"), "4");
  EXPECT_EQ(threads.at("total_s"), "1000.6");
  const auto processes = csv_row(answer.out, "source", "forecast (processes of 1 thread)");
  EXPECT_EQ(processes.at("workers"), "4");
  EXPECT_EQ(processes.at("total_s"), "2000.8");
}

TEST_F(Program, FailsWhereNoRecordRanOnWhatIsRequested) {
  const auto answer = analyze({"predict", good(), "--gpus", "8", "--nodes", "2"});
  EXPECT_EQ(answer.status, 2);
  EXPECT_EQ(answer.out, "");
  EXPECT_THAT(answer.err,
              HasSubstr("no record ran on GPUs: --gpus forecasts from runs on several"));
}

TEST_F(Program, FailsWhereEveryForecastIsRefused) {
  auto record = made_record({.epochs = 1});
  record.epochs.clear();
  write_records({record}, folder_ / "nothing");
  const auto answer = analyze({"predict", folder_ / "nothing", "--cpus", "2"});
  EXPECT_EQ(answer.status, 1);
  EXPECT_EQ(answer.out, "");
  EXPECT_THAT(answer.err, HasSubstr("left out: no step measured (1 record)\n"));
  const auto epochs = analyze({"predict", folder_ / "nothing", "--epochs", "2"});
  EXPECT_EQ(epochs.status, 1);
  EXPECT_THAT(epochs.out, HasSubstr("refused: no step measured"));
  const auto crossover = analyze({"predict", good(), "--crossover"});
  EXPECT_EQ(crossover.status, 1);
  EXPECT_THAT(crossover.out, HasSubstr("nothing to compare"));
}

TEST_F(Program, FailsWhereAForecastTooFarIsRefused) {
  const auto answer = analyze({"predict", good(), "--cpus", "99"});
  EXPECT_EQ(answer.status, 1);
  EXPECT_THAT(answer.out, HasSubstr("refused: "));
}

TEST_F(Program, DoesNotTakeARecordForOneOfAnotherDevice) {
  write_records({made_record({.gpu = "Tesla T4"})}, folder_ / "t4");
  const auto answer = analyze({"predict", folder_ / "t4", "--on", "l4", "--from", "v100"});
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.err, HasSubstr("--from v100_sxm2: "));
  EXPECT_THAT(answer.err, HasSubstr(" was made on Tesla T4\n"));
}

TEST_F(Program, SkipsRecordsOfOtherDevicesNextToSomeThatFit) {
  auto on_t4 = made_record({.allocation = "t4", .epochs = 2, .gpu = "Tesla T4"});
  on_t4.work.front().iterations_per_epoch = 4;
  const auto paths = write_records({made_record({.epochs = 2}), on_t4}, folder_ / "mixed_devices");
  const auto answer =
      analyze({"predict", folder_ / "mixed_devices", "--on", "v100", "--from", "t4"});
  EXPECT_THAT(answer.err, HasSubstr("skipped: " + paths[0] + ": --from t4: "));
  EXPECT_THAT(answer.out, HasSubstr(paths[1]));
}

TEST_F(Program, RefusesARecordThatStatesNoNumberOfEpochs) {
  auto record = made_record({.epochs = 3});
  std::erase_if(record.parameters, [](const auto& row) { return row.name.view() == "epochs"; });
  write_records({record}, folder_ / "open");
  const auto answer = analyze({"predict", folder_ / "open", "--format", "csv"});
  EXPECT_EQ(answer.status, 1);
  const auto row = csv_rows(answer.out).at(0);
  for (const auto& [key, cell] : row) {
    EXPECT_EQ(cell, key == "device"        ? "cpu"
                    : key == "epochs_seen" ? "3"
                    : key == "class"       ? "refused"
                    : key == "record"      ? cell
                                           : "")
        << key;
  }
  EXPECT_EQ(analyze({"predict", folder_ / "open", "--epochs", "20"}).status, 0);
}

TEST_F(Program, PredictsWhereMoreCpusBeginToPay) {
  std::vector<record::Record> records;
  const auto step_s = [](std::int64_t cpus, double flops) {  // launches cost more with two threads
    return cpus == 1 ? 1e-4 + flops / 1e9 : 2e-4 + flops / 2e9;
  };
  for (const std::int64_t cpus : {1, 2}) {
    for (const double flops : {1e3, 1e5, 1e7}) {
      auto& record = records.emplace_back(made_record(
          {.allocation = fmt::format("cpu{}", cpus), .epochs = 1, .cpus = cpus, .batch = 1}));
      record.header.point = fmt::format("sweep.{}.{:g}", cpus, flops);
      record.parameters.push_back(parameter_row("model.width", fmt::format("w{:g}", flops)));
      record.epochs.front().wall_s = 4 * step_s(cpus, flops);
      record.work.front().iterations_per_epoch = 4;
      record.work.front().parameter_count = static_cast<std::int64_t>(flops);
      record.work.front().flops_per_sample = flops;
    }
  }
  auto other = records.front();  // of steps that take more at once
  other.header.point = "sweep.other";
  for (auto& row : other.parameters) {
    row.value = row.name == "batch" ? "1000" : row.value.str();
  }
  records.push_back(other);
  write_records(records, folder_ / "sweep");
  const auto excluded = analyze(
      {"predict", folder_ / "sweep", "--crossover", "--part", "excluded", "--format", "csv"});
  EXPECT_THAT(excluded.out, HasSubstr("different parameters: batch=1000, not 1 "));
  const auto answer = analyze({"predict", folder_ / "sweep", "--crossover", "--format", "csv"});
  EXPECT_EQ(answer.status, 0) << answer.err;
  const auto row = csv_rows(answer.out).at(0);
  EXPECT_EQ(row.at("first"), "cpu1");
  EXPECT_EQ(row.at("second"), "cpu2");
  EXPECT_EQ(row.at("networks"), "3");
  EXPECT_EQ(row.at("overtakes"), "yes");
  EXPECT_THAT(row.at("parameters"), ::testing::MatchesRegex("(199|200)..."));  // 1e-4 s * 2e9
  const auto costs = analyze(
      {"predict", folder_ / "sweep", "--crossover", "--part", "step_cost", "--format", "csv"});
  for (const auto& [allocation, fixed_us, gflops] :
       {std::tuple("cpu1", "100.0", "1.00"), std::tuple("cpu2", "200.0", "2.00")}) {
    const auto cost = csv_row(costs.out, "allocation", allocation);
    EXPECT_EQ(cost.at("fixed_us"), fixed_us);
    EXPECT_EQ(cost.at("layer_us"), "0.0");
    EXPECT_EQ(cost.at("gflops"), gflops);
  }
}

}  // namespace
}  // namespace epochcast::analysis
