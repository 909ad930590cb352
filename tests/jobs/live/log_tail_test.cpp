#include "jobs/live/log_tail.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/jobs/support.hpp"

namespace epochcast::jobs {
namespace {

class LogTailTest : public testing::Test {
 protected:
  void append(const std::string& text) {
    std::ofstream(path_, std::ios::app | std::ios::binary) << text;
  }
  test::TempFolder folder_;
  std::string path_ = folder_.write("log", "");
};

TEST_F(LogTailTest, GrowsWithItsFile) {
  LogTail log(path_);
  EXPECT_EQ(log.end(), 0);
  append("one\ntw");
  log.read_on();
  EXPECT_EQ(log.end(), 2);
  append("o\nthree\n");
  log.read_on();
  EXPECT_EQ(log.end(), 3);
  EXPECT_EQ(log.line(1), "two");
  EXPECT_EQ(log.line(3), "");
  EXPECT_EQ(log.line(-1), "");
}

TEST_F(LogTailTest, ABarIsALineEachTimeAndCrlfOneEnd) {
  append("10%\r20%\rdone\r\nnext\r\n\r\n");
  const LogTail log(path_);
  ASSERT_EQ(log.end(), 5);
  EXPECT_EQ(log.line(1), "20%");
  EXPECT_EQ(log.line(2), "done");
  EXPECT_EQ(log.line(3), "next");
  EXPECT_EQ(log.line(4), "");
}

TEST_F(LogTailTest, BeginsWithAWholeLineOfALongFile) {
  for (int i = 0; i < 1000; ++i) {
    append(fmt::format("line {:04}\n", i));
  }
  const LogTail log(path_, 105);
  EXPECT_EQ(log.line(log.first()), "line 0990");
  EXPECT_EQ(log.line(log.end() - 1), "line 0999");
}

TEST_F(LogTailTest, StartsOverWithAShorterFile) {
  append("a long first version\n");
  LogTail log(path_);
  folder_.write("log", "new\n");
  log.read_on();
  ASSERT_EQ(log.end(), 1);
  EXPECT_EQ(log.line(0), "new");
}

TEST_F(LogTailTest, SaysWhyThereIsNothing) {
  const LogTail log(folder_ / "nowhere");
  EXPECT_NE(log.line(0).find("No such file"), std::string::npos);
}

}  // namespace
}  // namespace epochcast::jobs
