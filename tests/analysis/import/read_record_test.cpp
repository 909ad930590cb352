// Files in which programs leave their progress become records: events, TensorBoard's event files.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "analysis/import/importer.hpp"
#include "src/base/core/clock.hpp"
#include "src/base/core/error.hpp"
#include "src/record/queries.hpp"
#include "tests/files.hpp"
#include "tests/fuzz.hpp"
#include "tests/src/measure/progress/sources/event_file.hpp"

namespace epochcast::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using tests::scalar;

Imported import_as(const std::string& kind, const std::string& path) {
  return importers::all().at(kind).read(path, {.allocation = "", .gpu = ""});
}

std::string lightning_run() {
  std::string bytes = tests::file_version;
  for (int epoch = 0; epoch < 3; ++epoch) {
    const double start_s = 1001 + 2 * epoch;
    bytes += scalar(start_s + 1, 10 * epoch + 4, "train_loss", 1) +
             scalar(start_s + 1, 10 * epoch + 4, "epoch", float(epoch)) +
             scalar(start_s + 2, 10 * epoch + 9, "val_loss", float(epoch)) +
             scalar(start_s + 2, 10 * epoch + 9, "epoch", float(epoch));
  }
  return bytes;
}

TEST(ReadRecord, OfEventsSaysWhichEpochsAreRepeatedMissingOrOutOfOrder) {
  const TemporaryFolder folder;
  const auto notes = [&](const std::vector<std::string>& events) {
    std::string text;
    int time_s = 0;
    for (const auto& event : events) {
      text += fmt::format(R"({{"event":"{},"time_ns":{}000000000}})"
                          "\n",
                          event, ++time_s);
    }
    set_bytes(folder / "mine.jsonl", text);
    return import_as("events", folder / "mine.jsonl").notes;
  };
  const auto epoch = [](const char* what, int number) {
    return fmt::format(R"(epoch_{}","epoch":{})", what, number);
  };
  const auto step = [](int of_epoch, int number) {
    return fmt::format(R"(step","epoch":{},"step":{})", of_epoch, number);
  };
  EXPECT_THAT(
      notes({epoch("begin", 0), step(0, 1), step(0, 2), epoch("end", 0), epoch("begin", 1),
             step(1, 1), R"(metrics","step":1,"epoch":1,"metrics":{"loss":1})", epoch("end", 1)}),
      IsEmpty());
  EXPECT_THAT(
      notes({epoch("begin", 0), epoch("end", 0), epoch("begin", 0), epoch("end", 0),
             epoch("begin", 3), epoch("end", 3), epoch("begin", 1), epoch("end", 1)}),
      ElementsAre("run 'mine': epoch 0 occurs 2 times; all are kept",
                  "run 'mine': no row for the epochs 2; the record has none for them either",
                  "run 'mine': epoch 1 follows epoch 3: a restart; the record counts on from "
                  "there"));
  EXPECT_THAT(notes({epoch("begin", 0), step(0, 1), step(0, 2), step(0, 1), epoch("end", 0)}),
              ElementsAre("run 'mine': iteration 1 of epoch 0 occurs 2 times; all are kept"));
}

TEST(ReadRecord, OfEventFilesSaysWhichStepsWereWrittenAgain) {
  const TemporaryFolder folder;
  set_bytes(folder / "events.out.tfevents.1",
            lightning_run() + scalar(1010, 14, "train_loss", 7) + scalar(1011, 19, "val_loss", 7));
  EXPECT_THAT(import_as("tensorboard", folder.path() + "/").notes,
              ElementsAre(testing::HasSubstr(
                  "2 values are of a step that had one before, or of an earlier one")));
}

TEST(ReadRecord, OfEventsHasEpochsEvaluationsAndMetrics) {
  const TemporaryFolder folder;
  set_bytes(folder / "mine.jsonl",
            R"({"event":"train_begin","epochs":2,"time_ns":1000000000}
{"event":"epoch_begin","epoch":0,"time_ns":1500000000}
{"event":"step","epoch":0,"step":10,"steps":10,"time_ns":3500000000,"metrics":{"loss":0.5}}
{"event":"epoch_end","epoch":0,"samples":640,"time_ns":3500000000}
{"event":"evaluate_begin","epoch":0,"time_ns":3500000000}
{"event":"evaluate_end","epoch":0,"time_ns":4000000000,"metrics":{"accuracy":0.75}}
)");
  const auto imported = import_as("events", folder / "mine.jsonl");
  EXPECT_THAT(imported.remarks, IsEmpty());
  ASSERT_EQ(imported.records.size(), 1U);
  const auto& record = imported.records[0];
  ASSERT_EQ(record.epochs.size(), 1U);
  EXPECT_DOUBLE_EQ(record.epochs[0].wall_s, 2);
  EXPECT_DOUBLE_EQ(record.epochs[0].evaluate_s, 0.5);
  EXPECT_EQ(record.epochs[0].samples, 640);
  EXPECT_EQ(record.epochs[0].iterations, 10);
  ASSERT_EQ(record.metrics.size(), 2U);
  EXPECT_EQ(record.metrics[1].name.view(), "accuracy");
  EXPECT_EQ(record.header.outcome_text.view(), "the file ends after 1 of 2 epochs");
  EXPECT_EQ(record.header.source.view(), "imported:events");
}

TEST(ReadRecord, OfTensorBoardHasTheTimesInTheFile) {
  const TemporaryFolder folder;
  set_bytes(folder / "events.out.tfevents.1", lightning_run());
  const auto imported = import_as("tensorboard", folder.path() + "/");
  ASSERT_EQ(imported.records.size(), 1U);
  const auto& record = imported.records[0];
  std::vector<double> wall_s;
  for (const auto& epoch : record.epochs) {
    wall_s.push_back(epoch.wall_s);
    EXPECT_EQ(epoch.iterations, 10);
  }
  EXPECT_THAT(wall_s, ElementsAre(2.5, 2, 2));  // the file was begun half a second earlier
  EXPECT_EQ(record.metrics.size(), 6U);
}

TEST(ReadRecord, OfAStoreOfMlflowIsOneForEachRun) {
  const TemporaryFolder folder;
  const auto write = [&](const std::string& name, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(folder / name).parent_path());
    set_bytes(folder / name, text);
  };
  write("mlruns/1/meta.yaml", "experiment_id: '1'\nname: mine\n");
  for (const auto* run : {"1/a", "1/b", ".trash/c"}) {
    const auto place = std::string("mlruns/") + run;
    write(place + "/meta.yaml",
          "artifact_uri: file:///x\nend_time: null\nrun_id: abc\nstart_time: 1700000000000\n");
    write(place + "/metrics/epoch", "1700000002000 0 9\n1700000004000 1 19\n");
    write(place + "/metrics/loss", "1700000002000 0.5 9\n1700000004000 0.25 19\n");
    write(place + "/params/lr", run);
  }
  write("mlruns/1/empty/meta.yaml", "artifact_uri: x\n");
  std::filesystem::create_directories(folder / "mlruns/1/empty/metrics");
  const auto imported = import_as("mlflow", folder / "mlruns");
  ASSERT_EQ(imported.records.size(), 2U);
  EXPECT_THAT(imported.remarks,
              ElementsAre(testing::HasSubstr("mlruns/1/empty: found no file of metrics")));
  EXPECT_EQ(imported.records[1].header.point.view(), "b");
  EXPECT_EQ(record::parameter(imported.records[1], "lr"), "1/b");
  EXPECT_EQ(seconds_since_1970(imported.records[1].header.created_at.str()), 1'700'000'000);
  EXPECT_THROW(import_as("mlflow", folder / "mlruns/1/empty"), Error);
}

TEST(ReadRecord, OfAStoreOfMlflowFollowsNoLink) {
  const TemporaryFolder folder;
  const auto write = [&](const std::string& name, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(folder / name).parent_path());
    set_bytes(folder / name, text);
  };
  const auto write_run = [&](const std::string& place) {
    write(place + "/meta.yaml",
          "artifact_uri: file:///x\nend_time: null\nrun_id: abc\nstart_time: 1700000000000\n");
    write(place + "/metrics/epoch", "1700000002000 0 9\n1700000004000 1 19\n");
    write(place + "/metrics/loss", "1700000002000 0.5 9\n1700000004000 0.25 19\n");
  };
  write_run("store/1/a");
  write("store/1/a/params/lr", "0.1");
  write_run("store/1/b");
  write_run("elsewhere/run");
  write("elsewhere/private", "1700000002000 7 9\n");
  const auto link = [&](const std::string& to, const std::string& from) {
    std::filesystem::create_symlink(folder / to, folder / from);
  };
  link("elsewhere/private", "store/1/a/params/key");
  link("elsewhere/private", "store/1/a/metrics/secret");
  link("elsewhere", "store/1/b/params");
  link("elsewhere/run", "store/1/c");
  const auto imported = import_as("mlflow", folder / "store");
  ASSERT_EQ(imported.records.size(), 2U);
  for (const auto& record : imported.records) {
    EXPECT_EQ(record::parameter(record, "key"), "");
    EXPECT_EQ(record::parameter(record, "private"), "");
    for (const auto& metric : record.metrics) {
      EXPECT_NE(metric.name.view(), "secret");
    }
  }
  EXPECT_EQ(record::parameter(imported.records[0], "lr"), "0.1");
}

TEST(ReadRecordFuzz, DamagedEventFilesGiveSoundRecords) {
  const TemporaryFolder folder;
  const auto path = folder / "file";
  const auto whole = lightning_run();
  tests::Damage damage(21, {std::string(8, '\0'), "epoch", "\xff\xff"});
  set_bytes(path, whole);
  tests::fuzz(tests::fuzz_inputs(3000), path, [&] {
    tests::rewrite(path, damage.of(whole));
    for (const auto& record : import_as("tensorboard", path).records) {
      for (const auto& epoch : record.epochs) {
        ASSERT_TRUE(epoch.wall_s > 0 && std::isfinite(epoch.wall_s)) << epoch.wall_s;
      }
    }
  });
}

}  // namespace
}  // namespace epochcast::analysis
