// The programs, from the command line to the record.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "src/record/reader.hpp"
#include "tests/src/serving/stream/stream_programs.hpp"

namespace epochcast::stream {
namespace {

namespace fs = std::filesystem;

class StreamProgram : public ::testing::Test {
 protected:
  std::vector<std::string> consumer_words(std::vector<std::string> more) const {
    std::vector<std::string> words{"known_consumer", "--from=folder:" + folder / "stream",
                                   "--journal=" + folder / "stream.sqlite",
                                   "--records=" + folder / "records", "--telemetry=100ms"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  std::vector<std::string> producer_words(std::vector<std::string> more) const {
    std::vector<std::string> words{"epochcast-stream", "produce",
                                   "--to=folder:" + folder / "stream"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  record::Record only_record() const {
    for (const auto& entry : fs::directory_iterator(folder / "records")) {
      if (entry.path().extension() == ".h5") {
        return record::read_record(entry.path());
      }
    }
    throw Error("no record");
  }

  TemporaryFolder folder;
  std::string log = folder / "log";
};

TEST_F(StreamProgram, AnswersTheStudysStreamOfPicturesAndRecordsEachBatch) {
  Process consumer(consumer_words({"--kind=picture", "--batches=4"}), log);
  Process producer(producer_words({"--batches=4", "--every=50ms"}), log);
  ASSERT_EQ(producer.wait_for(60), exit_done) << bytes_of(log);
  ASSERT_EQ(consumer.wait_for(60), exit_done) << bytes_of(log);
  const auto record = only_record();
  EXPECT_EQ(record.header.outcome.view(), "complete");
  ASSERT_EQ(record.stream_batches.size(), 4);
  for (std::int64_t k = 1; k <= 4; ++k) {
    const auto& row = record.stream_batches[static_cast<std::size_t>(k - 1)];
    EXPECT_EQ(row.source.view(), "batch");
    EXPECT_EQ(row.batch_id, k);
    EXPECT_EQ(row.batch_size, 5 * k);
    EXPECT_EQ(row.labelled, 5 * k);
    EXPECT_EQ(row.refused, 0);
    EXPECT_LE(row.triggered_s, row.received_s + 0.1);  // two clocks of one machine
    EXPECT_LE(row.received_s, row.start_s);
    EXPECT_LE(row.start_s, row.end_s);
    EXPECT_LE(row.end_s, row.durable_s);
  }
  EXPECT_FALSE(record.telemetry.empty());
  ASSERT_EQ(record.epochs.size(), 1);
  EXPECT_EQ(record.epochs[0].samples, 50);
  const auto answers = read_results(folder / "stream.sqlite");
  EXPECT_EQ(answers.size(), 50);
  EXPECT_EQ(bytes_of(log).substr(0, 41), "released batch 1 of 'batch': 5 items\nrele");
}

TEST_F(StreamProgram, StopsOnASignalAndGoesOnLater) {
  ASSERT_EQ(Process(producer_words({"--batches=3", "--every=0s"}), log).wait_for(60), exit_done);
  Process stopped(consumer_words({"--kind=picture"}), log);
  for (int i = 0; i < 500 && fs::exists(folder / "stream/batch_3.json"); ++i) {
    pause_ms(20);
  }
  stopped.send(SIGUSR1);
  ASSERT_EQ(stopped.wait_for(60), exit_stopped) << bytes_of(log);
  const auto record = only_record();
  EXPECT_EQ(record.header.outcome.view(), "stopped");
  EXPECT_EQ(record.header.outcome_text.view(), "stopped by SIGUSR1; 3 batches answered");
  ASSERT_EQ(Process(producer_words({"--batches=5", "--every=0s"}), log).wait_for(60), exit_done);
  ASSERT_EQ(Process(consumer_words({"--kind=picture", "--batches=5"}), log).wait_for(60), exit_done)
      << bytes_of(log);
  EXPECT_EQ(read_results(folder / "stream.sqlite").size(), 5 * (1 + 2 + 3 + 4 + 5));
}

TEST_F(StreamProgram, ASecondConsumerIsRefusedAndHasARecord) {
  Process first(consumer_words({"--kind=picture"}), log);
  for (int i = 0; i < 500 && !fs::exists(folder / "stream/archive"); ++i) {
    pause_ms(20);
  }
  const auto second_log = folder / "second";
  ASSERT_EQ(
      Process(consumer_words({"--kind=picture", "--takeover=0s", "--point=second"}), second_log)
          .wait_for(60),
      exit_bad_input);
  EXPECT_NE(bytes_of(second_log).find("another consumer uses this journal"), std::string::npos);
}

TEST_F(StreamProgram, AFullDiskHoldsTheStreamAndLosesNothing) {
  ASSERT_EQ(
      Process(producer_words({"--batches=12", "--every=0s", "--window=12"}), log).wait_for(60),
      exit_done);
  Process consumer(consumer_words({"--kind=picture", "--batches=12", "--pass=300ms"}), log);
  for (int i = 0; i < 5000 && !fs::exists(folder / "stream/archive/batch_1.json"); ++i) {
    pause_ms(5);
  }
  const rlimit full{4096, RLIM_INFINITY};  // less than the journal has already
  ASSERT_EQ(prlimit(consumer.pid(), RLIMIT_FSIZE, &full, nullptr), 0);
  EXPECT_EQ(consumer.wait_for(3), std::nullopt);
  EXPECT_TRUE(fs::exists(folder / "stream/batch_12.json"));
  const rlimit space{RLIM_INFINITY, RLIM_INFINITY};
  ASSERT_EQ(prlimit(consumer.pid(), RLIMIT_FSIZE, &space, nullptr), 0);
  ASSERT_EQ(consumer.wait_for(60), exit_done) << bytes_of(log);
  EXPECT_EQ(read_results(folder / "stream.sqlite").size(), 5 * 78);
}

TEST_F(StreamProgram, WrongOptionsAreToldInOneLine) {
  for (const auto& [words, text] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"epochcast-stream", "produce", "--to=fodler:x"},
            "epochcast-stream: error: unknown transport 'fodler'; did you mean 'folder'?\n"},
           {{"epochcast-stream", "produce", "--to=folder:x", "--batches=0"},
            "epochcast-stream: error: --batches: found '0', expected a value >=1\n"},
           {{"epochcast-stream", "produce", "--to=redis://user:secret@localhost:6379/s"},
            "epochcast-stream: error: streams over Redis are not supported; expected one of "
            "folder:PATH, tcp://HOST:PORT\n"},
           {{"known_consumer"},
            "known_consumer: error: --from is missing; expected where batches come from: "
            "folder:PATH, tcp://HOST:PORT\n"}}) {
    fs::remove(log);
    EXPECT_EQ(Process(words, log).wait_for(60), exit_bad_input);
    EXPECT_EQ(bytes_of(log), text);
  }
}

TEST_F(StreamProgram, PrintsTheAnswersAsCsv) {
  ASSERT_EQ(Process(producer_words({"--batches=1", "--every=0s"}), log).wait_for(60), exit_done);
  ASSERT_EQ(Process(consumer_words({"--kind=text", "--batches=1"}), log).wait_for(60), exit_done);
  const auto csv = folder / "csv";
  ASSERT_EQ(Process({"epochcast-stream", "results", folder / "stream.sqlite"}, csv).wait_for(60),
            exit_done);
  EXPECT_EQ(bytes_of(csv).substr(0, 118),
            "sequence,source,batch_id,position,class,score,label,refused\n"
            "1,batch,1,0,,0.000000,7,\"found a picture, expected a text\"");
}

}  // namespace
}  // namespace epochcast::stream
