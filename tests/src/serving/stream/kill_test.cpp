// Producer and consumer are killed at random moments. No item is lost or answered twice, and the
// order is kept.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "tests/src/serving/stream/stream_programs.hpp"

namespace epochcast::stream {
namespace {

class StreamKillFuzz : public ::testing::Test {
 protected:
  void SetUp() override { write_texts(items, 50); }

  void start_producer() {
    producer = Process(
        {"epochcast-stream", "produce", "--to=" + to, "--items=" + items, "--source=s",
         "--batches=" + std::to_string(batches), "--batch=" + std::to_string(items_per_batch),
         "--grow=false", "--every=0s", "--window=6"},
        folder / "producer.log");
  }
  void start_consumer() {
    consumer = Process({"known_consumer", "--from=" + from, "--journal=" + journal, "--pass=5ms",
                        "--batches=" + std::to_string(batches), "--records=" + folder / "records",
                        "--telemetry=0s", "--address-file=" + folder / "address",
                        early ? "--early=true" : "--early=false"},
                       folder / "consumer.log");
  }

  /// Kills one or both after a random time, and starts them again.
  void kill_round() {
    pause_ms(static_cast<int>(random() % 300));
    const auto victim = random() % 3;
    const bool both = victim == 2;
    if (victim == 0 || both) {
      kills += producer.kill_now() ? 1 : 0;
    }
    if (victim == 1 || both) {
      kills += consumer.kill_now() ? 1 : 0;
      start_consumer();
    }
    if (victim == 0 || both) {
      start_producer();
    }
  }

  /// As many kills as wanted, and then in peace to the end.
  void run_with_kills(int wanted) {
    batches = 12 * wanted + 40;
    start_consumer();
    start_producer();
    for (int round = 0; round < 3 * wanted && kills < wanted; ++round) {
      kill_round();
    }
    ASSERT_GE(kills, wanted);
    ASSERT_EQ(producer.wait_for(300), exit_done) << bytes_of(folder / "producer.log");
    ASSERT_EQ(consumer.wait_for(300), exit_done) << bytes_of(folder / "consumer.log");
    EXPECT_EQ(fault_in(read_results(journal), items, batches), "");
    RecordProperty("kills", kills);
  }

  /// Nothing before the consumer has created the journal.
  std::vector<ResultRow> rows_so_far() const {
    try {
      return read_results(journal);
    } catch (const Error&) {
      return {};
    }
  }

  /// Waits until more is answered than these rows, at most 30 s: a consumer that is killed while it
  /// starts, however slowly, can lose nothing.
  void wait_for_more_than(std::size_t rows) const {
    for (int left = 600; left > 0 && rows_so_far().size() <= rows; --left) {
      pause_ms(50);
    }
  }

  static int rounds() { return std::getenv("EPOCHCAST_LONG") != nullptr ? 200 : 10; }

  TemporaryFolder folder;
  std::string items = folder / "items.json";
  std::string journal = folder / "stream.sqlite";
  std::string from = "folder:" + folder / "stream";
  std::string to = from;
  std::int64_t batches = 0;
  bool early = false;
  int kills = 0;
  std::mt19937 random{20261125};
  Process producer;
  Process consumer;
};

TEST_F(StreamKillFuzz, FolderLosesNothingAndAnswersNothingTwice) {
  run_with_kills(rounds());
}

TEST_F(StreamKillFuzz, TcpLosesNothingAndAnswersNothingTwice) {
  from = "tcp://127.0.0.1:0";
  to = "@" + folder / "address";
  run_with_kills(rounds());
}

/// The same kills find a consumer that records the progress before the answers.
TEST_F(StreamKillFuzz, ProgressThatIsRecordedTooEarlyIsFound) {
  early = true;
  batches = 100'000;
  start_consumer();
  start_producer();
  std::string fault;
  std::vector<ResultRow> rows;
  for (int round = 0; round < 300 && fault.empty(); ++round) {
    wait_for_more_than(rows.size());
    kill_round();
    rows = rows_so_far();
    fault = rows.empty() ? "" : fault_in(rows, items, rows.back().batch_id);
  }
  EXPECT_NE(fault, "") << "after " << kills << " kills";
}

}  // namespace
}  // namespace epochcast::stream
