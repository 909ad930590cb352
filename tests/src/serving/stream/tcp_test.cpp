// TCP: what is lost on the way comes again, in order.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "src/base/core/text.hpp"
#include "src/serving/stream/transport.hpp"
#include "src/serving/stream/zeromq.hpp"
#include "tests/files.hpp"
#include "tests/src/serving/stream/memory_sink.hpp"

namespace epochcast::stream {
namespace {

bool after_a_while() {
  static const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  return std::chrono::steady_clock::now() > end;
}

/// A producer of `batches` batches in a thread.
class TcpProducer {
 public:
  TcpProducer(const std::string& url, std::int64_t batches)
      : thread_([this, url, batches] { run(url, batches); }) {}
  ~TcpProducer() { thread_.join(); }
  TcpProducer(const TcpProducer&) = delete;
  TcpProducer& operator=(const TcpProducer&) = delete;

  std::atomic<bool> is_done = false;
  std::atomic<std::int64_t> first = 0;
  std::string error;  ///< Read it when is_done.

 private:
  void run(const std::string& url, std::int64_t batches) {
    try {
      const auto target = open_target(url, {"", "s", 3});
      std::int64_t next = 0;
      bool goes_on = target->find_next(next, after_a_while);
      first = next;
      for (; goes_on && next <= batches; ++next) {
        goes_on = target->release(next, small_document, after_a_while);
      }
      goes_on = goes_on && target->finish(after_a_while);
      error = goes_on ? "" : "stopped";
    } catch (const Error& refused) {
      error = refused.what();
    }
    is_done = true;
  }
  std::thread thread_;
};

class StreamTcp : public ::testing::Test {
 protected:
  /// Takes and keeps batches until the producer has ended.
  void consume(Source& source, const TcpProducer& producer) {
    while (!producer.is_done && !after_a_while()) {
      keep_next(source);
    }
  }
  void keep_next(Source& source) {
    if (const auto delivery = source.next(0.05)) {
      taken.push_back(delivery->batch.id);
      sink.commit_id("s", delivery->batch.id);
      source.done(*delivery);
    }
  }

  /// What the source answers to a producer whose messages are no batch that it takes.
  static Message answer_to(ZeromqSocket& producer, Source& source) {
    while (!after_a_while()) {
      EXPECT_FALSE(source.next(0.05));
      if (auto answer = producer.receive(0)) {
        return *answer;
      }
    }
    return {"no answer"};
  }

  MemorySink sink;
  std::vector<std::int64_t> taken;
};

TEST_F(StreamTcp, DeliversInOrder) {
  const auto source = open_source("tcp://127.0.0.1:0", sink);
  TcpProducer producer(source->address(), 20);
  consume(*source, producer);
  EXPECT_EQ(producer.error, "");
  ASSERT_EQ(taken.size(), 20);
  for (std::size_t i = 0; i < taken.size(); ++i) {
    EXPECT_EQ(taken[i], static_cast<std::int64_t>(i) + 1);
  }
}

TEST_F(StreamTcp, ARestartedConsumerAtAnotherAddressGetsWhatWasNotDurable) {
  const TemporaryFolder folder;
  const auto file = folder / "address";
  auto source = open_source("tcp://127.0.0.1:0", sink);
  std::ofstream(file) << source->address() << "\n";
  TcpProducer producer("@" + file, 6);
  std::optional<Delivery> lost;
  while (!lost && !after_a_while()) {
    lost = source->next(0.1);
  }
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->batch.id, 1);
  source.reset();  // killed before the answers were durable
  source = open_source("tcp://127.0.0.1:0", sink);
  std::ofstream(file) << source->address() << "\n";
  consume(*source, producer);
  EXPECT_EQ(producer.error, "");
  EXPECT_EQ(taken, (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6}));
}

TEST_F(StreamTcp, ANewProducerGoesOnAfterTheLastDurableBatch) {
  sink.commit_id("s", 4);
  const auto source = open_source("tcp://127.0.0.1:0", sink);
  TcpProducer producer(source->address(), 6);
  consume(*source, producer);
  EXPECT_EQ(producer.first, 5);
  EXPECT_EQ(taken, (std::vector<std::int64_t>{5, 6}));
}

TEST_F(StreamTcp, IgnoresWhatIsNoMessageAndWhoHasNotSaidHello) {
  const auto source = open_source("tcp://127.0.0.1:0", sink);
  ZeromqSocket stranger(ZeromqSocket::Kind::dealer);
  stranger.connect(source->address());
  for (const Message& message : {Message{""}, Message{"BATCH", "s", "1", small_document},
                                 Message{"BATCH", "s", "x", small_document}, Message{"HELLO"},
                                 Message{"HELLO", "other/9", "", "s"},
                                 Message{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}}) {
    while (!stranger.send(message) && !after_a_while()) {
    }
  }
  EXPECT_EQ(answer_to(stranger, *source).at(0), "REFUSED");
}

TEST_F(StreamTcp, AsksAgainForWhatWasLostOnTheWay) {
  const auto source = open_source("tcp://127.0.0.1:0", sink);
  ZeromqSocket producer(ZeromqSocket::Kind::dealer);
  producer.connect(source->address());
  while (!producer.send({"HELLO", "epochcast-stream/1", "", "s"}) && !after_a_while()) {
  }
  EXPECT_EQ(answer_to(producer, *source), (Message{"NEXT", "1", "0"}));
  producer.send({"BATCH", "s", "2", small_document});  // the first one was lost
  EXPECT_EQ(answer_to(producer, *source), (Message{"NEXT", "1", "0"}));
}

TEST_F(StreamTcp, TheTokenMustBeTheSame) {
  setenv("EPOCHCAST_STREAM_TOKEN", "secret", 1);
  const auto source = open_source("tcp://127.0.0.1:0", sink);
  ZeromqSocket producer(ZeromqSocket::Kind::dealer);
  producer.connect(source->address());
  while (!producer.send({"HELLO", "epochcast-stream/1", "secreT", "s"}) && !after_a_while()) {
  }
  EXPECT_EQ(answer_to(producer, *source).at(0), "REFUSED");
  producer.send({"HELLO", "epochcast-stream/1", "secret", "s"});
  EXPECT_EQ(answer_to(producer, *source).at(0), "NEXT");
  unsetenv("EPOCHCAST_STREAM_TOKEN");
}

TEST_F(StreamTcp, ASecondProducerOfASourceEndsTheFirst) {
  const auto source = open_source("tcp://127.0.0.1:0", sink);
  TcpProducer first(source->address(), 100'000);
  while (taken.empty() && !after_a_while()) {
    keep_next(*source);
  }
  TcpProducer second(source->address(), 1);
  while (!first.is_done && !after_a_while()) {
    keep_next(*source);
  }
  EXPECT_NE(first.error.find("another producer of the same source has connected"),
            std::string::npos);
  consume(*source, second);
}

}  // namespace
}  // namespace epochcast::stream
