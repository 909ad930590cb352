// Other people's logs as records: nothing that can be read is lost, nothing that cannot stops the
// rest.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/export/exporter.hpp"
#include "analysis/import/importer.hpp"
#include "analysis/records/record_metrics.hpp"
#include "src/base/core/gzip.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/run/series_from_record.hpp"
#include "src/record/queries.hpp"
#include "src/record/reader.hpp"
#include "tests/files.hpp"

namespace epochcast::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Importers : public ::testing::Test {
 protected:
  Imported import(const std::string& kind, const std::string& text,
                  const ImportOptions& options = {}, const std::string& name = "x.log") {
    const auto path = folder_ / name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    set_bytes(path, text);
    return importers::all().at(kind).read(path, options);
  }

  TemporaryFolder folder_;
};

std::vector<double> walls(const record::Record& record) {
  std::vector<double> walls;
  for (const auto& epoch : record.epochs) {
    walls.push_back(epoch.wall_s);
  }
  return walls;
}

std::vector<double> steps(const record::Record& record) {
  std::vector<double> steps;
  for (const auto& iteration : record.iterations) {
    steps.push_back(iteration.step_s);
  }
  return steps;
}

std::string event(int time_ms, const std::string& key, const std::string& metadata = "",
                  const std::string& value = "null") {
  return fmt::format(R"(:::MLLOG {{"time_ms": {}, "key": "{}", "value": {}, "metadata": {{{}}}}})",
                     1600000000000 + time_ms, key, value, metadata);
}

std::string epoch_number(int number) {
  return fmt::format(R"("epoch_num": {})", number);
}

TEST_F(Importers, MllogEventsAreFoundAnywhereInALine) {
  const auto log = "+ srun " + event(0, "run_start") +
                   "\n0: " + event(10, "epoch_start", epoch_number(1)) +
                   event(1510, "epoch_stop", epoch_number(1)) + " trailing {words}\n" +
                   event(2000, "run_stop", R"("status": "success")") + "\n";
  const auto imported = import("mllog", log);
  EXPECT_THAT(imported.remarks, IsEmpty());
  ASSERT_THAT(imported.records, SizeIs(1));
  EXPECT_THAT(walls(imported.records[0]), ElementsAre(1.5));
  EXPECT_EQ(imported.records[0].header.outcome.str(), "complete");
}

TEST_F(Importers, MllogRestartedAndOverlappingEpochsAreKeptAndReported) {
  const auto log = event(0, "epoch_start", epoch_number(1)) + "\n" +  // lost in a crash
                   event(5000, "epoch_start", epoch_number(1)) + "\n" +
                   event(6000, "epoch_start", epoch_number(2)) + "\n" +  // overlaps the one before
                   event(7000, "epoch_stop", epoch_number(1)) + "\n" +
                   event(9000, "epoch_stop", epoch_number(2)) + "\n" +
                   event(9000, "epoch_start", epoch_number(2)) + "\n" +  // done once more
                   event(12000, "epoch_stop", epoch_number(2)) + "\n" +
                   event(12000, "epoch_start", epoch_number(3)) + "\n";
  const auto record = import("mllog", log).records.at(0);
  EXPECT_THAT(walls(record), ElementsAre(2, 2, 3)) << "one that overlaps begins behind the other";
  EXPECT_EQ(record.header.note.str(),
            "1 epoch started again while open; 1 epoch without an end; 1 epoch that overlap an "
            "earlier one");
  EXPECT_EQ(record.header.outcome.str(), "lost");
}

TEST_F(Importers, MllogBrokenEventsAreNamedAndTheNextOneIsFound) {
  const auto imported = import(
      "mllog", "x\n:::MLLOG {\"time_ms\": 12, \"key" + event(0, "epoch_start", epoch_number(1)) +
                   "\n:::MLLOG {\"time_ms\": \"late\", \"key\": \"run_start\"}\n" +
                   event(900, "epoch_stop", epoch_number(1)));
  EXPECT_THAT(imported.remarks,
              ElementsAre(HasSubstr("x.log:2: broken event"), HasSubstr("x.log:3: broken event")));
  EXPECT_THAT(walls(imported.records.at(0)), ElementsAre(0.9));
}

TEST_F(Importers, MllogEvaluationsWithinAndAfterAnEpochAreTimeOfTheirOwn) {
  const auto log = event(0, "epoch_start", epoch_number(1)) + "\n" +
                   event(100, "eval_start", epoch_number(1)) + "\n" +
                   event(200, "eval_stop", epoch_number(1)) + "\n" +
                   event(1000, "epoch_stop", epoch_number(1)) + "\n" +
                   event(1000, "eval_start", epoch_number(1)) + "\n" +
                   event(1400, "eval_stop", epoch_number(1)) + "\n";
  const auto record = import("mllog", log).records.at(0);
  EXPECT_DOUBLE_EQ(record.epochs.at(0).wall_s, 0.9);
  EXPECT_DOUBLE_EQ(record.epochs.at(0).evaluate_s, 0.5);
  EXPECT_DOUBLE_EQ(length_s(record, record.epochs.at(0)), 1);
}

TEST_F(Importers, MllogShowsWhatFollowsTheLastEpochOfALogThatIsCut) {
  const auto one = event(0, "epoch_start", epoch_number(1)) + "\n" +
                   event(1000, "epoch_stop", epoch_number(1)) + "\n";
  const auto followed_s = [&](const std::string& log) {
    const auto record = import("mllog", log).records.at(0);
    double seconds = 0;
    for (const auto& span : record.spans) {
      seconds += span.name.view() == forecast::after_last_span ? span.duration_s : 0;
    }
    return seconds;
  };
  EXPECT_DOUBLE_EQ(followed_s(one), 0);
  EXPECT_DOUBLE_EQ(followed_s(one + event(1300, "eval_start")), 0.3);
  EXPECT_DOUBLE_EQ(
      followed_s(one + event(1300, "eval_start") + "\n" +
                 event(1500, "epoch_start", epoch_number(2)) + "\n" + event(1900, "block_start")),
      0.5);
  EXPECT_DOUBLE_EQ(followed_s(one + event(1300, "run_stop")), 0) << "the end of a run is no gap";
}

TEST_F(Importers, MllogNotesARunThatStoppedWithinItsLastEpoch) {
  std::string log;
  for (const int start : {0, 1000, 2000}) {
    const int stop = start + (start == 2000 ? 20 : 1000);
    log += event(start, "epoch_start", epoch_number(start)) + "\n" +
           event(stop, "epoch_stop", epoch_number(start)) + "\n";
  }
  EXPECT_EQ(import("mllog", log).records.at(0).header.note.str(),
            "the run stopped within its last epoch, after 0.02 s");
}

TEST_F(Importers, TheKindOfScalingOfAnHpcResultIsNotItsBenchmark) {
  const auto log = event(0, "epoch_start", epoch_number(1)) + "\n" +
                   event(900, "epoch_stop", epoch_number(1)) + "\n";
  const auto record = import("mllog", log, {.allocation = {}, .gpu = "Tesla T4"},
                             "hpc_v9/Acme/results/box/weak/cosmoflow/result_0.txt")
                          .records.at(0);
  EXPECT_EQ(record::parameter(record, "benchmark"), "cosmoflow");
  EXPECT_EQ(record::parameter(record, "scaling"), "weak");
  EXPECT_EQ(record::parameter(record, "run"), "result_0.txt");
  EXPECT_EQ(record.header.point.view(), "cosmoflow.Acme.box.result_0.weak");
  EXPECT_EQ(device_of(record), "Tesla T4");
}

TEST_F(Importers, StepsOfALogBeginAtZeroThoughTheFirstStampIsBehindThem) {
  std::string text;
  for (int step = 10; step <= 50; step += 10) {
    text += fmt::format(
        " [2026-01-01 10:{:02d}:20] iteration {:8d}/     100 | consumed samples: {:12d} | elapsed "
        "time per iteration (ms): 6000.0 | global batch size:     8 | lm loss: 9.5E+00 |\n",
        step / 10, step, step * 8);
  }
  const auto record = import("log", text).records.at(0);
  EXPECT_THAT(record::inconsistencies(record), IsEmpty());
  EXPECT_EQ(record.iterations.front().start_s, 0);
  EXPECT_EQ(record.iterations.front().step_s, 6);
}

TEST_F(Importers, ALogThatDoesNotNameItsDeviceRanOnAnUnknownOne) {
  const auto log = event(0, "epoch_start", epoch_number(1)) + "\n" +
                   event(900, "epoch_stop", epoch_number(1)) + "\n";
  EXPECT_EQ(device_of(import("mllog", log).records.at(0)), "unknown");
}

TEST_F(Importers, MllogBecomesTheColumnsOfTheEpochsTable) {
  const auto log = event(0, "run_start") + "\n" + event(250, "epoch_start", epoch_number(4)) +
                   "\n" + event(1500, "epoch_stop", epoch_number(4)) + "\n" +
                   event(1600, "epoch_start", epoch_number(5)) + "\n" +
                   event(2000, "run_stop", R"("status": "aborted")") + "\n";
  const auto imported =
      import("mllog", log, {}, "rounds_v9/Acme/results/big,box/resnet/result_0.txt");
  const auto files = exporters::all().at("epochs").make({{"x.h5", imported.records.at(0)}});
  EXPECT_EQ(files.at(0).text,
            "repo,path,submitter,system,benchmark,run,kind,seq,epoch,dur_s,start_ms,run_start_ms,"
            "run_stop_ms,"
            "n_epoch_events,status\r\n"
            "rounds_v9,\"Acme/results/big,box/resnet/"
            "result_0.txt\",Acme,\"big,box\",resnet,result_0.txt,epoch,1,4,1.25,"
            "1600000000250,1600000000000,1600000002000,3,aborted\r\n");
}

/// Of the three logs that lie beside the repository the exported rows are those of the table made
/// by others.
TEST_F(Importers, MllogOfPublicLogsGivesTheRowsOfThePublishedTable) {
  const std::filesystem::path data = EPOCHCAST_SOURCE_DIR "/../shared/data/timing/mlperf";
  if (!std::filesystem::exists(data)) {
    GTEST_SKIP() << data << " is not there";
  }
  const auto want = read_text_or_gzip(data / "epochs-v1.0-v2.0.csv.gz");
  for (const auto& [file, place] :
       {std::pair{"dgxa100_ngc21.05_mxnet-resnet-result_0.txt", "dgxa100_ngc21.05_mxnet/resnet"},
        {"dgxa100_ngc21.05_mxnet-ssd-result_0.txt", "dgxa100_ngc21.05_mxnet/ssd"},
        {"dgxa100_ngc21.05_pytorch-rnnt-result_0.txt", "dgxa100_ngc21.05_pytorch/rnnt"}}) {
    const auto path = fmt::format("training_results_v1.0/NVIDIA/results/{}/result_0.txt", place);
    const auto imported = import("mllog", bytes_of(data / "logs" / file), {}, path);
    EXPECT_THAT(imported.remarks, IsEmpty());
    const auto text =
        exporters::all().at("epochs").make({{"x.h5", imported.records.at(0)}}).at(0).text;
    const auto lines = split(text, '\n');
    ASSERT_GT(lines.size(), 10);
    for (std::size_t i = 1; i + 1 < lines.size(); ++i) {
      EXPECT_NE(want.find(lines[i] + "\n"), std::string::npos) << lines[i];
    }
  }
}

TEST_F(Importers, CsvOfEpochsIsSortedWhateverItsOrder) {
  const auto imported =
      import("csv",
             "\xEF\xBB\xBFsamples,run,duration_s,epoch,note\r\n10,b,4,2,x\r\n,a,7,1,\r\n"
             "12,b,5,1,\"y,z\"\r\n10,b,6,2,again\r\n",
             {.allocation = "t4", .gpu = "T4"}, "times.csv");
  EXPECT_THAT(imported.remarks, IsEmpty());
  ASSERT_THAT(imported.records, SizeIs(2));
  EXPECT_THAT(walls(imported.records[0]), ElementsAre(7));
  EXPECT_THAT(walls(imported.records[1]), ElementsAre(5, 4, 6)) << "a restarted epoch is kept";
  EXPECT_EQ(imported.records[1].epochs[0].samples, 12);
  EXPECT_EQ(imported.records[1].header.allocation.str(), "t4");
}

TEST_F(Importers, CsvTurnsNumbersInOtherColumnsIntoMetrics) {
  const auto record =
      import("csv", "run,epoch,duration_s,accuracy,note\na,1,5,0.25,x\na,2,4,,\na,3,4,nan,7\n")
          .records.at(0);
  std::vector<std::string> metrics;
  for (const auto& metric : record.metrics) {
    if (metric.name.view() != "epoch_number") {
      metrics.push_back(fmt::format("{} {} {}", metric.epoch, metric.name.view(), metric.value));
    }
  }
  EXPECT_THAT(metrics, ElementsAre("0 accuracy 0.25", "2 note 7"));
  const auto of_iterations =
      import("csv", "run,epoch,iteration,duration_s,loss\na,1,50,2,-1.5\na,1,60,3,-2\n")
          .records.at(0);
  ASSERT_THAT(of_iterations.metrics, SizeIs(2));
  EXPECT_EQ(of_iterations.metrics[1].iteration, 10);
  EXPECT_EQ(of_iterations.metrics[1].value, -2);
}

TEST_F(Importers, SayWhichEpochsAreRepeatedMissingOrOutOfOrder) {
  const auto notes = [&](const std::string& rows) {
    return import("csv", "run,epoch,duration_s\n" + rows).notes;
  };
  EXPECT_THAT(notes("a,1,5\na,2,4\na,3,4\n"), IsEmpty());
  EXPECT_THAT(notes("a,1,5\na,2,4\na,2,6\nb,1,1\n"),
              ElementsAre("run 'a': epoch 2 occurs 2 times; all are kept"));
  EXPECT_THAT(notes("a,1,5\na,4,4\na,5,4\na,7,1\n"),
              ElementsAre("run 'a': no row for the epochs 2 to 3, 6; the record counts on without "
                          "them"));
  EXPECT_THAT(
      notes("a,5,5\na,6,4\na,1,4\na,2,1\n"),
      ElementsAre("run 'a': no row for the epochs 3 to 4; the record counts on without them",
                  "run 'a': epoch 1 follows epoch 6: a restart, or rows in another order; "
                  "they are sorted by number"));
  EXPECT_THAT(import("csv", "run,epoch,iteration,duration_s\na,1,5,1\na,1,5,1\n").notes,
              ElementsAre("run 'a': iteration 5 of epoch 1 occurs 2 times; all are kept"));
}

TEST_F(Importers, ReadQuotedCellsOfSeveralLines) {
  const auto imported =
      import("csv", "run,epoch,duration_s\n\"two\nlines\",1,5\n\"open,1,5\na,1,5\n");
  ASSERT_THAT(imported.records, SizeIs(2));
  EXPECT_EQ(record::parameter(imported.records.at(1), "run"), "two\nlines");
  EXPECT_THAT(imported.remarks, ElementsAre(HasSubstr(":4: found a quoted cell that never ends")));
}

TEST_F(Importers, ReadWhatWasWrittenForSpreadsheets) {
  const auto imported = import("csv", "run,epoch,duration_s\n'=1+1,1,5\n'quoted,1,5\n");
  EXPECT_EQ(record::parameter(imported.records.at(0), "run"), "'quoted");
  EXPECT_EQ(record::parameter(imported.records.at(1), "run"), "=1+1");
}

TEST_F(Importers, EpochsOfTheWholeRunAreStatedWhereTheSourceDoesNot) {
  auto records = import("csv", "run,epoch,duration_s\na,1,5\na,2,4\nb,1,3\n").records;
  records.at(1).parameters.push_back(parameter_row("epochs", "9"));
  state_epochs(records, 2);
  EXPECT_EQ(record::epochs_of(records[0]), 2);
  EXPECT_EQ(record::epochs_of(records[1]), 9) << "the source stated it";
  auto longer = import("csv", "run,epoch,duration_s\na,1,5\na,2,4\n").records;
  EXPECT_EQ(error_of([&] { state_epochs(longer, 1); }),
            "a: found 2 epochs, expected at most 1 (--epochs)");
}

TEST_F(Importers, CsvOfIterationsKeepsGaps) {
  const auto record =
      import("csv", "run,epoch,iteration,duration_s\na,1,50,2\na,1,10,3\na,2,10,4\n").records.at(0);
  EXPECT_THAT(steps(record), ElementsAre(3, 2, 4));
  EXPECT_EQ(record.iterations[1].index, 40);
  EXPECT_EQ(record.iterations[2].epoch, 1);
}

TEST_F(Importers, CsvNamesEachBrokenLine) {
  const auto imported = import("csv",
                               "run,epoch,duration_s\na,1,5\na,2\na,x,5\na,3,-1\na,3,nan\na,,"
                               "5\n\"a,4,5\n\na,5,1e400\na,6,2\n");
  EXPECT_THAT(walls(imported.records.at(0)), ElementsAre(5, 2));
  EXPECT_THAT(imported.remarks, ElementsAre(HasSubstr("x.log:3: found 2 cells, expected 3"),
                                            HasSubstr("x.log:4: epoch: found 'x'"),
                                            HasSubstr("x.log:5: duration_s: found '-1'"),
                                            HasSubstr("x.log:6: duration_s: found 'nan'"),
                                            HasSubstr("x.log:7: found neither"),
                                            HasSubstr("x.log:8: found a quoted cell"),
                                            HasSubstr("x.log:10: duration_s: found '1e400'")));
}

TEST_F(Importers, CsvWithoutItsColumnsIsRefusedWithTheNearest) {
  EXPECT_THAT(error_of([&] { import("csv", "run,epoch,duration\na,1,2\n"); }),
              HasSubstr("x.log:1: found no column 'duration_s', expected "
                        "run,epoch|iteration,duration_s[,samples]; did you mean 'duration'?"));
  EXPECT_THAT(error_of([&] { import("csv", "run,duration_s\na,1\n"); }),
              HasSubstr("found no column 'epoch'"));
  EXPECT_THAT(error_of([&] { import("csv", ""); }), HasSubstr("is empty"));
}

TEST_F(Importers, PatternWithNamedGroups) {
  const ImportOptions options{
      .allocation = "",
      .gpu = "",
      .pattern = R"(\[(?:gpu|cpu)\] Epoch (?<epoch>\d+).* in (?<duration_s>[\d.]+) s)"};
  const auto imported =
      import("log",
             "starting\n[gpu] Epoch 1 (loss 3) in 12.5 s\r[gpu] Epoch 2 (loss 2) in 11 s\n"
             "[cpu] Epoch 3 in 1.2.3 s\n[cpu] Epoch 4 in 10 s",
             options);
  EXPECT_THAT(walls(imported.records.at(0)), ElementsAre(12.5, 11, 10));
  EXPECT_THAT(imported.remarks, ElementsAre(HasSubstr("x.log: 1 epoch whose duration the log's")));
}

TEST_F(Importers, PatternWithAClockOfTheRun) {
  const auto of_steps = import("log", "iter 10 at 30s\niter 20 at 50s\niter 30 at 80s\n",
                               {.pattern = R"(iter (?<iteration>\d+) at (?<clock_s>\d+)s)"});
  EXPECT_THAT(steps(of_steps.records.at(0)), ElementsAre(2, 2, 3));
  const auto of_epochs = import("log", "epoch 1 at 30s\nepoch 2 at 55s\nepoch 3 at 75s\n",
                                {.pattern = R"(epoch (?<epoch>\d+) at (?<clock_s>\d+)s)"});
  EXPECT_THAT(walls(of_epochs.records.at(0)), ElementsAre(30, 25, 20));
  const auto of_both =
      import("log",
             "epoch 1 iter 10 at 20s\nepoch 1 iter 20 at 40s\nepoch 2 iter 10 at 60s\n"
             "epoch 2 iter 20 at 80s\nepoch 3 iter 10 at 100s\nepoch 3 iter 20 at 130s\n",
             {.pattern = R"(epoch (?<epoch>\d+) iter (?<iteration>\d+) at (?<clock_s>\d+)s)"});
  EXPECT_THAT(steps(of_both.records.at(0)), ElementsAre(2, 2, 2, 2, 2, 3));
}

/// Each step has the duration that its line states, the first of an epoch too.
TEST_F(Importers, PatternWithTheDurationOfEachStep) {
  const auto record =
      import("log", "1 1: 5 s\n1 2: 6 s\n2 1: 9 s\n2 2: 7 s\n",
             {.pattern = R"((?<epoch>\d+) (?<iteration>\d+): (?<duration_s>\d+) s)"})
          .records.at(0);
  EXPECT_THAT(steps(record), ElementsAre(5, 6, 9, 7));
  EXPECT_THAT(walls(record), ElementsAre(11, 16));
}

TEST_F(Importers, PatternWithTheNameOfTheRun) {
  const auto imported =
      import("log",
             "[10:00:00] begin\n[10:01:00] [b 1] epoch 1/2\n[10:02:01] [b 1] epoch 2/2\n"
             "[10:02:11] saved\n[10:03:13] [a] epoch 1/2\n[10:04:10] [a] epoch 2/2\n"
             "[10:04:20] saved\n",
             {.pattern = R"(\[(?<run>[a-z][^]]*)\] epoch (?<epoch>\d+)/(?<epochs>\d+))"});
  ASSERT_THAT(imported.records, SizeIs(2));
  EXPECT_EQ(record::parameter(imported.records[0], "run"), "a");
  EXPECT_EQ(record::parameter(imported.records[1], "run"), "b 1");
  EXPECT_THAT(walls(imported.records[0]), ElementsAre(62, 57)) << "from the end of the run before";
  EXPECT_THAT(walls(imported.records[1]), ElementsAre(60, 61));
  EXPECT_THAT(imported.records[0].header.job_id.str(),
              testing::Ne(imported.records[1].header.job_id.str()));
  const ImportOptions options{
      .pattern = R"((?:(?<run>\w+) )?epoch (?<epoch>\d+)(?: took (?<duration_s>\d+) s)?)"};
  EXPECT_THAT(
      import("log", "a epoch 1\na epoch 2\nb epoch 1 took 3 s\na epoch 3\n", options).remarks,
      ElementsAre(HasSubstr("x.log: run 'a': the log has no times")));
  const auto mixed = import("log",
                            "a epoch 1 took 3 s\nb epoch 1 took 5 s\na epoch 2 took 4 s\n"
                            "b epoch 2 took 6 s\n",
                            options);
  EXPECT_THAT(walls(mixed.records.at(0)), ElementsAre(3, 4));
  EXPECT_THAT(walls(mixed.records.at(1)), ElementsAre(5, 6));
  const auto unnamed = import("log", "epoch 1 took 3 s\nepoch 2 took 4 s\n", options);
  EXPECT_EQ(record::parameter(unnamed.records.at(0), "run"), "x");
  EXPECT_THAT(walls(unnamed.records[0]), ElementsAre(3, 4));
}

TEST_F(Importers, PatternWithARateNeedsTheSamples) {
  const ImportOptions options{
      .allocation = "",
      .gpu = "",
      .pattern = R"((?<epoch>\d+): ?(?<samples>\d+)? at (?<samples_per_s>\S+)/s)"};
  EXPECT_THAT(walls(import("log", "1: 600 at 200/s\n2: 600 at 300/s\n", options).records.at(0)),
              ElementsAre(3, 2));
  const auto imported =
      import("log", "1: 600 at 300/s\n2: 600 at 0/s\n3: at 5/s\n4: 10 at 5/s\n", options);
  EXPECT_THAT(walls(imported.records.at(0)), ElementsAre(2, 2));
  EXPECT_THAT(imported.remarks, ElementsAre(HasSubstr("x.log: 2 epochs whose duration")));
}

TEST_F(Importers, LinesThatMatchNoPatternAreShownIfThereIsNothingElse) {
  const ImportOptions options{
      .allocation = "", .gpu = "", .pattern = R"((?<epoch>\d+): (?<duration_s>\d+) s)"};
  const auto imported =
      import("log", "loading\n\nepoch 1 took 3 s\nepoch 2 took 3 s\nend\n", options, "run.log");
  EXPECT_THAT(imported.records, IsEmpty());
  EXPECT_THAT(imported.remarks,
              ElementsAre(HasSubstr("run.log: no line matches --pattern; the first: 'loading', "
                                    "'epoch 1 took 3 s', 'epoch 2 took 3 s'")));
  EXPECT_THAT(import("log", "loading\n1: 3 s\n", options).remarks, IsEmpty());
}

TEST_F(Importers, ImportedAgainReplacesItsRecordsAndNoOthers) {
  const ImportOptions options{
      .allocation = "", .gpu = "", .pattern = R"((?<epoch>\d+): (?<duration_s>\d+) s)"};
  const auto first = write_records(import("log", "1: 3 s\n", options).records, folder_ / "r");
  const auto second =
      write_records(import("log", "1: 3 s\n2: 4 s\n", options).records, folder_ / "r");
  EXPECT_EQ(second, first);
  EXPECT_EQ(record::read_record(first.front()).epochs.size(), 2U);

  auto measured = record::read_record(first.front());
  measured.header.source = "measured";
  std::filesystem::remove_all(folder_ / "r");
  write_records({measured}, folder_ / "r");
  EXPECT_THAT(
      error_of([&] { write_records(import("log", "1: 3 s\n", options).records, folder_ / "r"); }),
      HasSubstr("exists already"));
}

/// The expression's engine recurses with the length of the text.
TEST_F(Importers, LinesOfAnyLengthAreSafe) {
  const ImportOptions options{
      .allocation = "", .gpu = "", .pattern = R"(^.*(?<run>\w)(?<epoch>\d+) (?<duration_s>\d+))"};
  const auto imported =
      import("log", std::string(100'000, 'x') + "\na1 5" + "\n" + std::string(4096, ' '), options);
  EXPECT_THAT(walls(imported.records.at(0)), ElementsAre(5));
  EXPECT_THAT(imported.remarks, IsEmpty());
}

/// A log of stamps, across midnight.
TEST_F(Importers, LogByTheStampsInIt) {
  const auto imported =
      import("log",
             "[23:59:50] start\n[23:59:58] Epoch 1/3 - loss: 0.5\n"
             "[00:00:08] Epoch 2/3 - loss: 0.25\n[00:00:19] Epoch 3/3 - loss: 0.1\n");
  const auto& record = imported.records.at(0);
  EXPECT_EQ(record.header.progress_source.view(), "plain");
  EXPECT_EQ(record.header.outcome.view(), "complete");
  EXPECT_EQ(record::epochs_of(record), 3);
  EXPECT_THAT(walls(record), ElementsAre(8, 10, 11));
  EXPECT_EQ(record.header.note.view(), "times are the stamps in the log");
}

TEST_F(Importers, LogByTheDurationsThatTheProgramStates) {
  const auto imported = import("log",
                               "Epoch 1/4 - loss: 0.5 - time: 12.5s\nEpoch 2/4 - loss: 0.4 - time: "
                               "11s\n");
  const auto& record = imported.records.at(0);
  EXPECT_THAT(walls(record), ElementsAre(12.5, 11));
  EXPECT_EQ(record.header.outcome.view(), "lost");
  EXPECT_EQ(record.header.outcome_text.view(), "the log ends after 2 of 4 epochs");
  EXPECT_EQ(record.header.note.view(), "times are durations that the program states");
}

/// A library warns with stamps at the start; the program's own lines have none.
TEST_F(Importers, LogWhoseStampsEndBeforeItsEpochsGoesByTheStatedDurations) {
  const auto imported = import("log",
                               "2026-11-24 22:00:01,100 W one\n2026-11-24 22:00:02,200 W two\n"
                               "Epoch 1/3 - loss: 0.5 - time: 12.5s\nEpoch 2/3 - loss: 0.4 - time: "
                               "11s\nEpoch 3/3 - loss: 0.3 - time: 11.5s\n");
  const auto& record = imported.records.at(0);
  EXPECT_THAT(walls(record), ElementsAre(12.5, 11, 11.5));
  EXPECT_EQ(record.header.note.view(), "times are durations that the program states");
}

/// Keras prints whole seconds and the time a step: the steps tell more of a short epoch.
TEST_F(Importers, ShortEpochsOfKerasTakeTheTimeOfTheirSteps) {
  const auto epoch = [](int number, const char* times) {
    return fmt::format("Epoch {}/3\n50/50 - {} - loss: 0.5\n", number, times);
  };
  const auto imported = import("log", epoch(1, "12s - 239ms/step") + epoch(2, "1s - 26ms/step") +
                                          epoch(3, "0s - 250us/step"));
  EXPECT_THAT(walls(imported.records.at(0)),
              ElementsAre(12, testing::DoubleNear(1.3, 1e-9), testing::DoubleNear(0.0125, 1e-9)));
}

TEST_F(Importers, LogWithoutTimesHasMetricsOnly) {
  const auto imported = import("log", "Epoch 1/2 - loss: 0.5\nEpoch 2/2 - loss: 0.4\n");
  const auto& record = imported.records.at(0);
  EXPECT_THAT(record.epochs, IsEmpty());
  EXPECT_EQ(record.metrics.size(), 2U);
  EXPECT_THAT(record.header.note.str(), HasSubstr("the log has no times"));
}

TEST_F(Importers, LogOfNoKnownFormatSaysWhatToAdd) {
  const auto imported = import("log",
                               "[10:00:00] lap 1: cost 5\n[10:00:10] lap 2: cost 4\n"
                               "[10:00:20] lap 3: cost 3\n");
  EXPECT_THAT(imported.records, IsEmpty());
  EXPECT_THAT(imported.remarks, ElementsAre(HasSubstr("--pattern 'lap\\s*(?<step>")));
  const auto by_pattern = import("log",
                                 "[10:00:00] lap 1: cost 5\n[10:00:10] lap 2: cost 4\n"
                                 "[10:00:20] lap 3: cost 3\n",
                                 {.allocation = "", .gpu = "", .pattern = R"(lap (?<epoch>\d+))"});
  EXPECT_THAT(walls(by_pattern.records.at(0)), ElementsAre(10, 10));
}

TEST_F(Importers, LogNamesEpochsThatItPassesOver) {
  std::string text;
  for (const int epoch : {1, 2, 5, 6, 7}) {
    text += fmt::format("Epoch {}/9 loss 0.5 took 10 s\n", epoch);
  }
  const auto imported = import("log", text);
  ASSERT_EQ(imported.records.size(), 1U);
  EXPECT_EQ(imported.records[0].epochs.size(), 5U);
  EXPECT_THAT(imported.remarks,
              ElementsAre(HasSubstr("no row for the epochs 2 to 3; the record "
                                    "has none for them either (the first epoch is 0)")));
}

TEST_F(Importers, PatternThatCannotWorkIsRefused) {
  const auto refusal = [&](const std::string& pattern) {
    return error_of([&] { import("log", "x", {.allocation = "", .gpu = "", .pattern = pattern}); });
  };
  EXPECT_THAT(refusal("(?<epoch>\\d+"), HasSubstr("no regular expression"));
  EXPECT_THAT(refusal("(?<epoh>\\d+)"), HasSubstr("did you mean 'epoch'?"));
  EXPECT_THAT(refusal("(?<duration_s>\\d+)"), HasSubstr("neither (?<epoch>...) nor (?<step>...)"));
  EXPECT_THAT(
      error_of([&] { import("log", "x", {.allocation = "", .gpu = "", .progress = "pattern"}); }),
      HasSubstr("--pattern is missing"));
}

}  // namespace
}  // namespace epochcast::analysis
