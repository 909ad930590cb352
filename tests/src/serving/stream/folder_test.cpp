// The folder of the study as a source and a target.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "src/serving/stream/transport.hpp"
#include "tests/files.hpp"
#include "tests/src/serving/stream/memory_sink.hpp"

namespace epochcast::stream {
namespace {

namespace fs = std::filesystem;

constexpr double long_s = 60;    ///< For what must come.
constexpr double short_s = 0.2;  ///< For what must not come.

class StreamFolder : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text = R"([{"text": "a"}])") {
    std::ofstream(path + "/" + name) << text;
  }
  std::unique_ptr<Source> open() { return open_source("folder:" + path, sink); }
  std::unique_ptr<Target> open_for(const std::string& source, std::int64_t window = 100) {
    return open_target("folder:" + path, {"", source, window});
  }
  static std::int64_t next_id(Source& source) {
    const auto delivery = source.next(long_s);
    return delivery ? delivery->batch.id : -1;
  }
  static bool nothing_comes(Source& source) { return !source.next(short_s); }

  TemporaryFolder folder;
  std::string path = (fs::create_directories(folder / "in"), folder / "in");
  MemorySink sink;
};

TEST_F(StreamFolder, DeliversWhatAProducerReleasesOnceAndInOrder) {
  const auto target = open_for("batch");
  std::int64_t next = 0;
  ASSERT_TRUE(target->find_next(next, never));
  EXPECT_EQ(next, 1);
  for (std::int64_t id = 1; id <= 11; ++id) {
    ASSERT_TRUE(
        target->release(id, to_json({.id = id, .triggered = 5, .items = {{.text = "t"}}}), never));
  }
  const auto source = open();
  for (std::int64_t id = 1; id <= 11; ++id) {
    const auto delivery = source->next(long_s);
    ASSERT_TRUE(delivery);
    EXPECT_EQ(delivery->batch.id, id);
    EXPECT_EQ(delivery->batch.source, "batch");
    EXPECT_EQ(delivery->batch.triggered, 5);
    sink.commit_id("batch", id);
    source->done(*delivery);
    EXPECT_TRUE(fs::exists(path + "/archive/batch_" + std::to_string(id) + ".json"));
  }
  EXPECT_TRUE(nothing_comes(*source));
  ASSERT_TRUE(open_for("batch")->find_next(next, never));
  EXPECT_EQ(next, 12);
}

TEST_F(StreamFolder, WaitsForTheRestOfAFileAndForAMissingOne) {
  write("batch_1.json");
  write("batch_3.json");
  const auto source = open();
  EXPECT_EQ(next_id(*source), 1);
  EXPECT_TRUE(nothing_comes(*source));
  write("batch_2.json", R"([{"text": "a"},)");
  EXPECT_TRUE(nothing_comes(*source));
  write("batch_2.json", R"([{"text": "a"},{"text": "b"}])");
  EXPECT_EQ(next_id(*source), 2);
  EXPECT_EQ(next_id(*source), 3);
}

TEST_F(StreamFolder, OneSourceDoesNotWaitForAnother) {
  write("a_1.json", "[");
  write("b_7.json");
  write("b_8.json");
  const auto source = open();
  EXPECT_EQ(next_id(*source), 7);
  EXPECT_EQ(next_id(*source), 8);
  write("a_1.json");
  EXPECT_EQ(next_id(*source), 1);
}

TEST_F(StreamFolder, TakesNoFileThatIsNoBatch) {
  for (const auto* name : {".batch_1.json", "batch_1.json.new", "batch.json", "batch_x.json",
                           "_1.json", "batch_-1.json", "tracker.json"}) {
    write(name);
  }
  EXPECT_TRUE(nothing_comes(*open()));
}

TEST_F(StreamFolder, DeliversAgainWhatWasNotDurable) {
  write("batch_1.json");
  write("batch_2.json");
  const auto content = content_hash({.items = {{.text = "a"}}});
  EXPECT_EQ(next_id(*open()), 1);
  sink.commit_id("batch", 1, content);  // and then the consumer was killed
  const auto source = open();
  EXPECT_EQ(next_id(*source), 2);
  EXPECT_FALSE(fs::exists(path + "/batch_1.json"));
  write("batch_1.json");  // a duplicate
  EXPECT_TRUE(nothing_comes(*source));
  EXPECT_FALSE(fs::exists(path + "/batch_1.json"));
}

TEST_F(StreamFolder, LeavesWhatWouldBeLostInTheArchive) {
  sink.commit_id("batch", 5, content_hash({.items = {{.text = "a"}}}));
  write("batch_5.json", R"([{"text": "other"}])");
  write("batch_4.json");  // before the first one that was answered
  const auto source = open();
  EXPECT_TRUE(nothing_comes(*source));
  EXPECT_TRUE(fs::exists(path + "/batch_5.json"));
  EXPECT_TRUE(fs::exists(path + "/batch_4.json"));
  write("batch_6.json");
  EXPECT_EQ(next_id(*source), 6);
}

TEST_F(StreamFolder, AFullWindowHoldsTheProducer) {
  const auto target = open_for("batch", 2);
  ASSERT_TRUE(target->release(1, "[]", never));
  ASSERT_TRUE(target->release(2, "[]", never));
  int asked = 0;
  EXPECT_FALSE(target->release(3, "[]", [&] { return ++asked > 3; }));
  EXPECT_FALSE(fs::exists(path + "/batch_3.json"));
}

TEST(StreamPlaces, AreCheckedInOneLine) {
  MemorySink sink;
  for (const auto* url :
       {"", "here", "folder:", "fodler:x", "redis://h:1/k", "tcp://127.0.0.1:nothing"}) {
    EXPECT_THROW(open_source(url, sink), Error) << url;
  }
}

}  // namespace
}  // namespace epochcast::stream
