// Redis Streams with a real Redis.
#include <gtest/gtest.h>

#include "src/serving/stream/transport.hpp"
#include "tests/files.hpp"
#include "tests/src/serving/stream/memory_sink.hpp"
#include "tests/src/serving/stream/redis_server.hpp"

namespace epochcast::stream {
namespace {

class StreamRedis : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!server.runs()) {
      GTEST_SKIP() << "redis-server is not installed";
    }
  }
  std::unique_ptr<Source> open() { return open_source(server.url("s"), sink); }
  std::unique_ptr<Target> open_for(std::int64_t window = 100) {
    return open_target(server.url("s"), {"", "s", window});
  }
  static std::int64_t next_id(Source& source) {
    const auto delivery = source.next(5);
    return delivery ? delivery->batch.id : -1;
  }
  static bool nothing_comes(Source& source) { return !source.next(0.1); }
  /// Takes the next batch, keeps its answers, tells the source.
  std::int64_t answer_next(Source& source) {
    const auto delivery = source.next(5);
    if (!delivery) {
      return -1;
    }
    sink.commit_id("s", delivery->batch.id);
    source.done(*delivery);
    return delivery->batch.id;
  }

  TemporaryFolder folder;
  RedisServer server{folder.path()};
  MemorySink sink;
};

TEST_F(StreamRedis, DeliversOnceAndInOrderAndRemovesWhatIsDone) {
  const auto target = open_for();
  std::int64_t next = 0;
  ASSERT_TRUE(target->find_next(next, never));
  EXPECT_EQ(next, 1);
  for (std::int64_t id = 1; id <= 5; ++id) {
    ASSERT_TRUE(target->release(id, small_document, never));
    ASSERT_TRUE(target->release(id, small_document, never));  // as after a lost connection
  }
  const auto source = open();
  for (std::int64_t id = 1; id <= 5; ++id) {
    EXPECT_EQ(answer_next(*source), id);
  }
  EXPECT_TRUE(nothing_comes(*source));
  EXPECT_EQ(Redis({"127.0.0.1", server.port()}).command({"XLEN", "s"}).integer, 0);
  ASSERT_TRUE(open_for()->find_next(next, never));
  EXPECT_EQ(next, 6);
}

TEST_F(StreamRedis, ARestartedConsumerGetsWhatWasNotDurable) {
  const auto target = open_for();
  for (std::int64_t id = 1; id <= 4; ++id) {
    ASSERT_TRUE(target->release(id, small_document, never));
  }
  {
    const auto killed = open();
    EXPECT_EQ(next_id(*killed), 1);
    EXPECT_EQ(next_id(*killed), 2);
    EXPECT_EQ(next_id(*killed), 3);
    sink.commit_id("s", 1);  // durable, but Redis was not told
  }
  const auto source = open();
  EXPECT_EQ(answer_next(*source), 2);  // Redis learns that batch 1 is done
  EXPECT_EQ(answer_next(*source), 3);
  EXPECT_EQ(answer_next(*source), 4);
  EXPECT_EQ(Redis({"127.0.0.1", server.port()}).command({"XLEN", "s"}).integer, 0);
}

TEST_F(StreamRedis, GoesOnWhenRedisComesBack) {
  const auto target = open_for();
  ASSERT_TRUE(target->release(1, small_document, never));
  const auto source = open();
  EXPECT_EQ(answer_next(*source), 1);
  ASSERT_TRUE(target->release(2, small_document, never));
  server.stop(SIGKILL);
  EXPECT_TRUE(nothing_comes(*source));
  server.start();
  std::int64_t id = -1;
  for (int i = 0; id < 0 && i < 20; ++i) {
    id = answer_next(*source);
  }
  EXPECT_EQ(id, 2);
  ASSERT_TRUE(target->release(3, small_document, never));
  EXPECT_EQ(answer_next(*source), 3);
}

TEST_F(StreamRedis, TakesEntriesOfOtherProducers) {
  Redis other({"127.0.0.1", server.port()});
  other.command({"XADD", "s", "1700000000000-0", "document", small_document});
  other.command({"XADD", "s", "1700000000000-1", "document", small_document, "more", "fields"});
  other.command({"XADD", "s", "1700000000001-0", "text", "no document"});
  const auto source = open();
  EXPECT_EQ(answer_next(*source), 1700000000000000);
  EXPECT_EQ(answer_next(*source), 1700000000000001);
  const auto bad = source->next(5);
  ASSERT_TRUE(bad);
  EXPECT_EQ(bad->batch.items.at(0).refused,
            "entry 1700000000001-0 of 's': has no field 'document'");
}

TEST_F(StreamRedis, AFullWindowHoldsTheProducer) {
  const auto target = open_for(2);
  ASSERT_TRUE(target->release(1, small_document, never));
  ASSERT_TRUE(target->release(2, small_document, never));
  int asked = 0;
  EXPECT_FALSE(target->release(3, small_document, [&] { return ++asked > 5; }));
  EXPECT_EQ(Redis({"127.0.0.1", server.port()}).command({"XLEN", "s"}).integer, 2);
}

TEST_F(StreamRedis, TellsAtOnceThatNoneAnswers) {
  server.stop(SIGKILL);
  EXPECT_THROW(open(), RunError);
  EXPECT_THROW(open_for(), RunError);
}

}  // namespace
}  // namespace epochcast::stream
