// A record's JSON lines, read while they grow.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "src/record/json_lines.hpp"
#include "tests/files.hpp"

namespace epochcast::record {
namespace {

std::string epoch_line(std::int64_t epoch) {
  std::string text;
  append_line(text, "epochs", Epoch{.epoch = epoch, .wall_s = 2});
  return text;
}

void append(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::app) << text;
}

class TailTest : public testing::Test {
 protected:
  TemporaryFolder folder_;
  std::string path_ = folder_ / "r.jsonl";
};

TEST_F(TailTest, ReadsOnlyWhatIsNewAndEndsUpWithTheWholeFile) {
  append(path_, epoch_line(0));
  JsonLinesTail tail(path_);
  EXPECT_TRUE(tail.read_on());
  EXPECT_FALSE(tail.read_on()) << "nothing new";
  tail.content().record.epochs.clear();
  append(path_, epoch_line(1) + epoch_line(2));
  EXPECT_TRUE(tail.read_on());
  ASSERT_EQ(tail.content().record.epochs.size(), 2U) << "the first line was not read again";
  EXPECT_EQ(tail.content().record.epochs.back().epoch, 2);
  EXPECT_EQ(tail.content().damaged, 0U);
}

TEST_F(TailTest, LeavesALineWithoutItsEndForTheNextTime) {
  const auto line = epoch_line(0);
  append(path_, line.substr(0, 20));
  JsonLinesTail tail(path_);
  EXPECT_FALSE(tail.read_on());
  append(path_, line.substr(20, line.size() - 21));  // all but the line feed
  EXPECT_FALSE(tail.read_on());
  append(path_, "\n");
  EXPECT_TRUE(tail.read_on());
  EXPECT_EQ(tail.content().record.epochs.size(), 1U);
  EXPECT_EQ(tail.content().damaged, 0U);
}

TEST_F(TailTest, StartsOverWithAnotherFile) {
  append(path_, epoch_line(0) + epoch_line(1));
  JsonLinesTail tail(path_);
  tail.read_on();
  append(folder_ / "new", epoch_line(7) + epoch_line(8) + epoch_line(9));
  std::filesystem::rename(folder_ / "new", path_);
  EXPECT_TRUE(tail.read_on());
  EXPECT_EQ(tail.content().record.epochs.size(), 3U);
  set_bytes(path_, epoch_line(5));  // shorter
  EXPECT_TRUE(tail.read_on());
  ASSERT_EQ(tail.content().record.epochs.size(), 1U);
  EXPECT_EQ(tail.content().record.epochs.front().epoch, 5);
}

TEST_F(TailTest, CountsDamagedLines) {
  append(path_, epoch_line(0) + "{\"table\":\"epochs\",\"epoch\":}\n" + epoch_line(1));
  JsonLinesTail tail(path_);
  tail.read_on();
  EXPECT_EQ(tail.content().damaged, 1U);
  EXPECT_EQ(tail.content().record.epochs.size(), 2U);
}

TEST_F(TailTest, NamesAFileThatIsNotThere) {
  JsonLinesTail tail(path_);
  EXPECT_NE(error_of([&] { tail.read_on(); }).find("r.jsonl: No such file"), std::string::npos);
}

}  // namespace
}  // namespace epochcast::record
