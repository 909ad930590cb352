#include "src/measure/progress/sources/metric_source.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>

#include "src/base/core/error.hpp"
#include "src/measure/progress/sources/record_frames.hpp"
#include "src/measure/progress/sources/sample_readings.hpp"
#include "src/measure/progress/sources/wire_format.hpp"
#include "tests/files.hpp"
#include "tests/fuzz.hpp"
#include "tests/src/measure/progress/sources/event_file.hpp"
#include "tests/src/measure/progress/sources/shown.hpp"

namespace epochcast::progress::sources {
namespace {

using epochcast::tests::bytes_field;
using epochcast::tests::event;
using epochcast::tests::file_version;
using epochcast::tests::frame;
using epochcast::tests::scalar;
using epochcast::tests::simple_value;
using epochcast::tests::tensor_value;

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const ClockZero zero_at_1000{.since_1970_s = 1000};

/// The text without its time, which is the file's.
std::vector<std::string> shown_without_time(const std::vector<TimedReading>& readings) {
  auto all = shown(readings);
  for (auto& text : all) {
    text.erase(0, text.find(' ') + 1);
  }
  return all;
}

class Metrics : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary | std::ios::app) << text;
  }

  TemporaryFolder folder_;
};

TEST_F(Metrics, OfTensorBoardHaveTheirOwnTimes) {
  const auto source = follow_metrics(folder_ / "runs", zero_at_1000);
  EXPECT_THAT(source->read(0), IsEmpty());
  write("runs/events.out.tfevents.1", file_version + scalar(1001.5, 10, "loss", 0.5F) +
                                          event(1001.75, 10, tensor_value("acc", 0.25F)));
  EXPECT_THAT(shown(source->read(2)), IsEmpty());  // more of step 10 may come
  EXPECT_THAT(shown(source->read(3)), ElementsAre("1.75 step 10 loss=0.5 acc=0.25"));
  write("runs/events.out.tfevents.1", scalar(1004, 20, "loss", 0.125F));
  EXPECT_THAT(shown(source->finish(5)), ElementsAre("4 step 20 loss=0.125"));
  EXPECT_THAT(source->remarks(), IsEmpty());
}

TEST_F(Metrics, OfKerasAreWrittenOnceAnEpoch) {
  const auto source = follow_metrics(folder_.path(), zero_at_1000);
  write("train/events", file_version + event(1002, 0, tensor_value("epoch_loss", 4)) +
                            event(1002.5, 0, tensor_value("epoch_acc", 0.5F)));
  write("validation/events", file_version + event(1003, 0, tensor_value("epoch_loss", 8)));
  EXPECT_THAT(shown(source->read(4)), ElementsAre("0.5 begin 0", "2 end 0 loss=4", "2.5 0 acc=0.5",
                                                  "3 0 validation/loss=8"));
}

TEST_F(Metrics, OfLightningNameTheEpochThatRuns) {
  write("version_0/events",
        file_version + scalar(1001, 1, "loss", 4) + scalar(1001, 1, "epoch", 0) +
            scalar(1002, 3, "val", 3) + scalar(1002, 3, "epoch", 0) + scalar(1004, 5, "loss", 2) +
            scalar(1004, 5, "epoch", 1) + scalar(1005, 7, "val", 1) + scalar(1005, 7, "epoch", 1));
  const auto stored = read_metrics(folder_.path());
  EXPECT_THAT(
      shown(stored.readings),
      ElementsAre("0 begin 0", "0.5 0 step 2 loss=4", "1.5 0 step 4 val=3", "1.5 end 0 step 4",
                  "3.5 1 step 2 loss=2", "4.5 1 step 4 val=1", "4.5 end 1 step 4"));
}

TEST_F(Metrics, OfTrainerEndAnEpochWhereTheFractionIsWhole) {
  const auto values = [](double at_s, int step, const char* tag, float epoch) {
    return scalar(at_s, step, tag, 4) + scalar(at_s, step, "train/epoch", epoch);
  };
  write("events", file_version + values(1001, 5, "train/loss", 0.5F) +
                      values(1002, 10, "eval/loss", 1) + values(1003, 15, "train/loss", 1.5F) +
                      values(1005, 25, "train/loss", 2.5F) + values(1006, 30, "train/loss", 3) +
                      values(1009, 60, "train/loss", 6));
  const auto stored = read_metrics(folder_ / "events");
  // The end of the second epoch lies between two values, those of the fourth and fifth do too.
  EXPECT_THAT(shown(stored.readings),
              ElementsAre("0 begin 0", "0.5 0 step 5 train/loss=4", "1.5 end 0 step 10 eval/loss=4",
                          "2.5 1 step 5 train/loss=4", "3.5 end 1", "4.5 2 step 5 train/loss=4",
                          "5.5 end 2 step 10 train/loss=4", "8.5 end 5 step 10 train/loss=4"));
  EXPECT_THAT(stored.remarks, ElementsAre(HasSubstr("not all epochs are known")));
}

/// 0.1 + 0.1 + ... is 0.9999999999999999 after ten times.
TEST(Samples, OfFractionsThatAProgramAddsUpEndAnEpochAtItsLastStep) {
  SampleReadings readings;
  std::vector<std::string> ends;
  double epochs = 0;
  for (int step = 1; step <= 30; ++step) {
    epochs += 0.1;
    Sample sample{.step = step, .epochs_done = epochs};
    sample.values.push_back({"loss", 4});
    for (const auto& text : shown(readings.read(std::move(sample), step))) {
      if (text.find("end") != std::string::npos) {
        ends.push_back(text);
      }
    }
  }
  EXPECT_THAT(ends, ElementsAre("10 end 0 step 10 loss=4", "20 end 1 step 10 loss=4",
                                "30 end 2 step 10 loss=4"));
}

TEST(RunningEpoch, EndsWhereALaterOneBeginsOrWithAsManySteps) {
  RunningEpoch running;
  EXPECT_FALSE(running.move_to({.step = 9, .running_epoch = 0}, 5));
  const auto end = running.move_to({.step = 14, .running_epoch = 1}, 7);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->reading.epoch, 0);
  EXPECT_EQ(end->reading.step, 10);
  EXPECT_EQ(end->at_s, 5);
  EXPECT_EQ(running.steps_done(14), 5);
  EXPECT_EQ(running.steps_done(9), std::nullopt);
  EXPECT_FALSE(running.end_if_whole());
  EXPECT_FALSE(running.move_to({.step = 19, .running_epoch = 1}, 9));
  EXPECT_TRUE(running.end_if_whole());
}

TEST_F(Metrics, OfAnEarlierRunAreLeftOut) {
  write("old/events", file_version + scalar(900, 0, "loss", 1) + scalar(990, 1, "loss", 1));
  write("log.csv", "epoch,loss\n0,9\n");
  const auto board = follow_metrics(folder_ / "old", zero_at_1000);
  write("old/events", scalar(1002, 2, "loss", 2));
  EXPECT_THAT(shown(board->finish(4)), ElementsAre("2 step 2 loss=2"));

  const auto table = follow_metrics(folder_ / "log.csv", zero_at_1000);
  EXPECT_THAT(table->read(1), IsEmpty());
  write("log.csv", "1,8\n");
  EXPECT_THAT(shown_without_time(table->finish(4)), ElementsAre("begin 1", "end 1 loss=8"));
}

TEST_F(Metrics, OfAFileThatIsWrittenAnewAreOfThisRun) {
  write("log.csv", "epoch,loss\n0,0.5\n1,0.5\n");
  write("old", file_version + scalar(900, 0, "loss", 1));
  const auto source = follow_metrics(folder_.path(), zero_at_1000);
  set_bytes(folder_ / "log.csv", "epoch,loss\n0,0.7\n1,0.7\n2,0.7\n");
  EXPECT_THAT(shown_without_time(source->finish(2)),
              ElementsAre("begin 0", "end 0 loss=0.7", "end 1 loss=0.7", "end 2 loss=0.7"));
}

/// Also if it is as long as before when it is looked at again.
TEST_F(Metrics, OfAFileThatIsWrittenAnewWithEqualLengthAreOfThisRun) {
  write("log.csv", "epoch,loss\n0,1.5\n1,1.25\n");
  const auto source = follow_metrics(folder_.path(), zero_at_1000);
  EXPECT_THAT(source->read(0), IsEmpty());
  set_bytes(folder_ / "log.csv", "epoch,loss\n0,2.5\n1,2.25\n");
  EXPECT_THAT(shown_without_time(source->finish(5)),
              ElementsAre("begin 0", "end 0 loss=2.5", "end 1 loss=2.25"));
}

TEST_F(Metrics, OfATableOfEpochsEndThem) {
  const auto source = follow_metrics(folder_ / "log.csv", zero_at_1000);
  write("log.csv", "epoch,accuracy,loss,note\r\n0,0.5,");
  EXPECT_THAT(source->read(1), IsEmpty());
  write("log.csv", "nan,\"a,b\"\r\n");
  const auto readings = source->read(2);
  EXPECT_THAT(shown_without_time(readings), ElementsAre("begin 0", "end 0 accuracy=0.5 loss=nan"));
  EXPECT_TRUE(readings.at(1).at_s >= 1 && readings.at(1).at_s <= 2);  // between two looks
  write("log.csv", "1,0.75\r\n1,0.75,2,\r\n");
  EXPECT_THAT(shown_without_time(source->finish(3)), ElementsAre("end 1 accuracy=0.75 loss=2"));
  EXPECT_THAT(source->remarks(), ElementsAre(HasSubstr("1 lines are no rows")));
}

TEST_F(Metrics, OfATableThatCountsFromOneAreCountedFromZero) {
  const auto source = follow_metrics(folder_ / "results.csv", zero_at_1000);
  write("results.csv", "  epoch,  train/box_loss\n 1, 0.5\n 2, 0.25\n");
  EXPECT_THAT(shown_without_time(source->finish(3)),
              ElementsAre("begin 0", "end 0 train/box_loss=0.5", "end 1 train/box_loss=0.25"));
}

TEST_F(Metrics, OfATableThatIsWrittenAgainCountOnce) {
  const auto source = follow_metrics(folder_.path(), zero_at_1000);
  write("lightning_logs/version_0/metrics.csv", "epoch,step,loss\n0,1,4\n");
  EXPECT_THAT(shown_without_time(source->read(2)), ElementsAre("begin 0", "0 step 2 loss=4"));
  // Lightning adds a column by writing all of the file again.
  set_bytes(folder_ / "lightning_logs/version_0/metrics.csv",
            "epoch,step,loss,val\n0,1,4,\n0,3,,5\n1,5,3,\n1,7,2,\n");
  EXPECT_THAT(shown_without_time(source->read(3)),
              ElementsAre("0 step 4 val=5", "end 0 step 4", "1 step 2 loss=3", "1 step 4 loss=2"));
  EXPECT_THAT(shown_without_time(source->finish(4)), ElementsAre("end 1 step 4"));
}

TEST_F(Metrics, OfTrainerStateHaveNoTimes) {
  const auto source = follow_metrics(folder_.path(), zero_at_1000);
  const std::string state =
      R"({"best_metric": null, "global_step": 10, "log_history": [)"
      R"({"epoch": 0.5, "loss": 4, "step": 5}, {"epoch": 1.0, "eval_loss": 3, "step": 10})";
  write("checkpoint-10/trainer_state.json", state);
  EXPECT_THAT(source->read(1), IsEmpty());
  write("checkpoint-10/trainer_state.json", "]}\n");
  write("checkpoint-15/trainer_state.json", state + R"(, {"epoch": 1.5, "loss": 2, "step": 15}]})");
  EXPECT_THAT(shown_without_time(source->finish(3)),
              ElementsAre("0 step 5 loss=4", "0 step 10 eval_loss=3", "1 step 15 loss=2"));
  EXPECT_THAT(error_of([&] { read_metrics(folder_.path()); }), HasSubstr("without times"));
}

TEST_F(Metrics, AreFoundByContentAndTheFormatWithTimesComesFirst) {
  write("a/predictions.csv", "image,label\n1,2\n");
  write("a/notes.txt", "epoch 3 was good\n");
  write("a/model.bin", std::string(10000, '\0'));
  EXPECT_THAT(error_of([&] { read_metrics(folder_ / "a"); }),
              HasSubstr("found no file of metrics, expected CSV with a column 'epoch'"));
  write("a/log.csv", "epoch,loss\n0,1\n");
  write("a/z", file_version + scalar(1001, 0, "loss", 2));
  const auto stored = read_metrics(folder_ / "a");
  EXPECT_THAT(shown(stored.readings), ElementsAre("0.5 step 0 loss=2"));
}

TEST_F(Metrics, DamagedMessagesAreCountedAndNamed) {
  auto bytes = file_version + scalar(1001, 0, "loss", 2) + scalar(1002, 1, "loss", 3);
  const auto big = frame(bytes_field(4, std::string(3 << 20, 'g')));  // a graph
  const auto damaged_at = bytes.size() + big.size() - 6;
  bytes += big + scalar(1003, 2, "loss", 4);
  bytes[damaged_at - big.size()] ^= 1;
  write("x", bytes + std::string(12, 'x') + scalar(1004, 3, "loss", 5));
  const auto stored = read_metrics(folder_ / "x");
  EXPECT_THAT(shown(stored.readings), ElementsAre("0.5 step 0 loss=2", "2.5 step 2 loss=4"));
  EXPECT_THAT(stored.remarks, ElementsAre(HasSubstr("1 damaged lengths"),
                                          HasSubstr("1 messages are damaged; the first: at byte")));
}

TEST(Checksum, IsThatOfTheStandard) {
  // RFC 3720, B.4: CRC-32C of 32 bytes of zero is 0x8A9136AA.
  constexpr std::uint32_t crc = 0x8A9136AA;
  EXPECT_EQ(masked_crc32c(std::string(32, '\0')), ((crc >> 15) | (crc << 17)) + 0xA282EAD8);
}

/// A message in LevelDB's log: `kind` 1 whole, 2 first, 3 middle, 4 last.
std::string log_piece(int kind, std::string_view bytes) {
  return little_endian(0, 4) + little_endian(bytes.size(), 2) + static_cast<char>(kind) +
         std::string(bytes);
}

std::string history(std::initializer_list<std::pair<std::string_view, std::string_view>> items) {
  WireWriter history;
  for (const auto& [key, value] : items) {
    history.bytes(1, WireWriter().bytes(1, key).bytes(16, value).text());
  }
  return WireWriter().varint(1, 7).bytes(2, history.text()).text();
}

/// Damages a file of each format; half of the damages of TensorBoard's get right checksums again.
TEST(MetricsFuzz, DamagedFilesNeverStopTheReader) {
  const std::vector<std::string> samples{simple_value("loss", 0.5F),
                                         tensor_value("epoch_loss", 0.5F), simple_value("epoch", 2),
                                         simple_value("train/epoch", 1.5F)};
  const std::string table = "epoch,step,loss,\"a,b\"\n0,1,2,\n0,2,,1e400\n1,3,nan,\n";
  const std::string state =
      R"({"best_metric": 1, "global_step": 2, "log_history": [{"epoch": 0.5, "loss": 4, "step": 1}]})";
  epochcast::tests::Damage damage(
      20, {"\n", ",", "\"", "epoch", "step", "-1", "1e300", "{", "]",
           std::string("\0\0\0\0\0\0\0\0", 8), "\xff\xff\xff\xff\xff\xff\x7f", "\x0a\x02",
           "\x42\x0a", "\x2a"});
  std::size_t read = 0;
  for (auto left = epochcast::tests::fuzz_inputs(5000); left > 0; --left) {
    const auto kind = damage.below(6);
    std::string bytes;
    if (kind == 0) {
      bytes = damage.of(table);
    } else if (kind == 1) {
      bytes = damage.of(state);
    } else if (kind == 2) {
      bytes = damage.of("1700000002000 0.5 9\n1700000003000 nan 10\n1700000004000 0.75 19 a b\n");
    } else if (kind == 3) {
      const auto line =
          history({{"_timestamp", "1001"}, {"_step", "1"}, {"epoch", "0"}, {"x", "2"}});
      bytes = ":W&B" + little_endian(0xBEE1, 2) + '\0' + log_piece(1, damage.of(line)) +
              log_piece(2, line.substr(0, 5)) + log_piece(4, line.substr(5));
      bytes = damage.below(2) == 0 ? damage.of(bytes) : bytes;
    } else {
      bytes = file_version;
      for (std::size_t i = 0; i < 4; ++i) {
        const auto& value = samples[damage.below(samples.size())];
        const auto step = static_cast<std::int64_t>(damage.below(4));
        const auto message = event(1001, step, value);
        bytes += damage.below(2) == 0 ? event(1000 + double(i), step, damage.of(value))
                                      : frame(damage.of(message.substr(12, message.size() - 16)));
      }
      bytes = damage.below(2) == 0 ? damage.of(bytes) : bytes;
    }
    const std::array names{"csv", "trainer_state", "mlflow", "wandb", "tensorboard", "tensorboard"};
    const auto* name = names.at(kind);
    const auto reader = metrics::all().at(name).open("");
    SampleReadings readings;
    const auto cut = damage.below(bytes.size() + 1);
    for (const auto& part : {bytes.substr(0, cut), bytes.substr(cut), std::string()}) {
      for (auto& sample : reader->read(part)) {
        for (const auto& [reading, at_s] : readings.read(std::move(sample), 1)) {
          ASSERT_TRUE(reading.epoch.value_or(0) >= 0 && reading.step.value_or(0) >= 0);
          ASSERT_TRUE(at_s >= 0 && at_s <= 1) << at_s;
          ++read;
        }
      }
    }
    if (left % 100 == 0) {
      const TemporaryFolder folder;
      const auto source = follow_metrics(folder.path(), zero_at_1000);
      set_bytes(folder / "file", bytes);
      for (const auto& [reading, at_s] : source->finish(10)) {
        ASSERT_TRUE(at_s >= 0 && at_s <= 10) << at_s;
      }
    }
  }
  EXPECT_GT(read, 0U);
}

TEST_F(Metrics, OfMlflowAreJoinedByStepAndBeginWithTheRun) {
  write("run/meta.yaml",
        "artifact_uri: file:///x\nend_time: null\nrun_id: abc\nstart_time: 1700000000000\n");
  write("run/metrics/epoch", "1700000002000 0 9\n1700000004000 1 19\n");
  write("run/metrics/accuracy", "1700000002000 0.5 9\n1700000004000 0.75 19\n");
  write("run/metrics/val/loss", "1700000002000 0.25 9 model_id data digest\n");
  write("run/params/lr", "0.1");
  const auto stored = read_metrics(folder_ / "run");
  EXPECT_THAT(shown(stored.readings),
              ElementsAre("0 begin 0", "2 0 step 10 accuracy=0.5 val/loss=0.25", "2 end 0 step 10",
                          "4 1 step 10 accuracy=0.75", "4 end 1 step 10"));
}

TEST_F(Metrics, OfOneStepThatAreReadBetweenTheirWritesAreJoined) {
  constexpr double begin_s = 1'700'000'000;
  const auto source = follow_metrics(folder_ / "run", {.since_1970_s = begin_s});
  write("run/metrics/loss", "1700000003000 0.5 0\n");
  EXPECT_THAT(shown(source->read(3.25)), IsEmpty());  // a program writes one file after another
  write("run/metrics/epoch", "1700000003000 0 0\n");
  EXPECT_THAT(shown(source->read(4.5)), ElementsAre("0 begin 0", "3 0 step 1 loss=0.5"));
  write("run/metrics/loss", "1700000005000 0.25 1\n");
  EXPECT_THAT(shown(source->read(5.5)), IsEmpty());
  write("run/metrics/epoch", "1700000005000 0 1\n");
  EXPECT_THAT(shown(source->finish(5.75)), ElementsAre("5 0 step 2 loss=0.25"));
}

/// Root may read everything, unless it is somebody else for a while.
class AsNobody {
 public:
  AsNobody() { EXPECT_EQ(getuid() == 0 ? seteuid(65534) : 0, 0); }
  ~AsNobody() { EXPECT_EQ(getuid() == 0 ? seteuid(0) : 0, 0); }
};

TEST_F(Metrics, ThatCannotBeReadAreNamed) {
  namespace fs = std::filesystem;
  write("run/metrics/loss", "1700000002000 0.5 0\n");
  write("run/metrics/accuracy", "1700000002000 0.5 0\n");
  write("run/metrics/val/loss", "1700000002000 0.5 0\n");
  fs::permissions(folder_ / "", fs::perms(0755));
  fs::permissions(folder_ / "run/metrics/accuracy", fs::perms(0200));
  fs::permissions(folder_ / "run/metrics/val", fs::perms(0600));
  const AsNobody nobody;
  EXPECT_THAT(read_metrics(folder_ / "run").remarks,
              ElementsAre(::testing::AllOf(HasSubstr("run: 2 cannot be read (Permission denied)"),
                                           HasSubstr("metrics/accuracy"))));
  const auto source = follow_metrics(folder_ / "run", zero_at_1000);
  source->finish(5);
  EXPECT_THAT(source->remarks(), ElementsAre(HasSubstr("2 cannot be read")));
  EXPECT_THAT([&] { read_metrics(folder_ / "run/metrics/val"); },
              ::testing::ThrowsMessage<Error>(HasSubstr("Permission denied")));
  EXPECT_THAT([&] { read_metrics(folder_ / "run/metrics/accuracy"); },
              ::testing::ThrowsMessage<Error>(HasSubstr("Permission denied")));
}

TEST_F(Metrics, BeyondWhatIsSearchedAreNamed) {
  for (int i = 0; i < 202; ++i) {
    write(fmt::format("run/metrics/m{}", i), "1700000002000 0.5 0\n");
  }
  write("run/a/b/c/d/e/f/g/h", "x");
  const auto stored = read_metrics(folder_ / "run");
  EXPECT_THAT(stored.remarks, ElementsAre(HasSubstr("run: 3 not searched (more than 6 folders")));
}

TEST_F(Metrics, OfAnOfflineRunOfWandbAreItsHistory) {
  const auto one = history({{"_timestamp", "1001.5"},
                            {"_step", "0"},
                            {"epoch", "0"},
                            {"loss", "0.5"},
                            {"note", "\"text\""}});
  const auto two =
      history({{"_timestamp", "1003"}, {"_step", "1"}, {"epoch", "0"}, {"loss", "0.25"}});
  const auto start = WireWriter().varint(1, 1000).varint(2, 250'000'000).text();
  const auto run = WireWriter().bytes(17, WireWriter().bytes(17, start).text()).text();
  std::string log = ":W&B" + little_endian(0xBEE1, 2) + '\0' + log_piece(1, run) +
                    log_piece(1, one) + log_piece(2, std::string_view(two).substr(0, 9));
  log += log_piece(3, std::string_view(two).substr(9, 3));
  log += log_piece(4, std::string_view(two).substr(12));
  const auto source = follow_metrics(folder_ / "wandb", zero_at_1000);
  write("wandb/run-1.wandb", log.substr(0, 40));  // bytes come cut anywhere
  EXPECT_THAT(shown(source->read(2)), IsEmpty());
  write("wandb/run-1.wandb", log.substr(40));
  EXPECT_THAT(shown(source->finish(5)),
              ElementsAre("0.25 begin 0", "1.5 0 step 1 loss=0.5", "3 0 step 2 loss=0.25"));
  const auto stored = read_metrics(folder_ / "wandb");  // from the start of the run on
  EXPECT_EQ(stored.began_since_1970_s, 1000.25);
  EXPECT_THAT(shown(stored.readings),
              ElementsAre("0 begin 0", "1.25 0 step 1 loss=0.5", "2.75 0 step 2 loss=0.25"));
  const auto damaged = follow_metrics(folder_ / "damaged", zero_at_1000);
  write("damaged/run-1.wandb", ":W&B" + little_endian(0xBEE1, 2) + '\0' + log_piece(9, one));
  damaged->finish(5);
  EXPECT_THAT(damaged->remarks(), ElementsAre(HasSubstr("damaged: the rest was not read")));
}

}  // namespace
}  // namespace epochcast::progress::sources
