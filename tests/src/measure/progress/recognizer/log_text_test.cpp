#include "src/measure/progress/recognizer/log_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "src/base/core/error.hpp"
#include "tests/files.hpp"

namespace epochcast::progress {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::size_t mib = std::size_t(1) << 20;

std::string repeated(const std::string& line, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) {
    text += line;
  }
  return text;
}

class LogTextTest : public testing::Test {
 protected:
  LogText read(const std::vector<std::string>& parts) {
    const auto file = folder_ / "a.log";
    std::ofstream out(file, std::ios::binary);
    for (const auto& part : parts) {
      out << part;
    }
    out.close();
    return read_log_text(file, "auto", "");
  }

  TemporaryFolder folder_;
};

TEST_F(LogTextTest, KeepsASmallLogAsItIs) {
  const auto log = read({"one\r\ntwo\b\n\nthree"});
  EXPECT_EQ(log.text, "one\r\ntwo\b\n\nthree");
  EXPECT_THAT(log.notes, ElementsAre());
}

TEST_F(LogTextTest, CutsALineWithoutAnEndAndSaysSo) {
  const auto log = read({"Epoch 1\n", std::string(70 * mib, 'x'), "\nEpoch 2\n"});
  EXPECT_EQ(log.text, "Epoch 1\n" + std::string(mib, 'x') + "\nEpoch 2\n");
  EXPECT_THAT(log.notes, ElementsAre(HasSubstr("a.log: 1 line of more than 1 MiB, cut there")));
}

TEST_F(LogTextTest, OfALargeLogOnlyLinesOfProgressAreKept) {
  const auto chatter = repeated("2026-03-01 10:00:00 worker 3: nothing new was found\n", 33 * mib);
  const std::string first = "2026-03-01 10:00:00 Epoch 1/2 loss: 0.5\n";
  const std::string second = "2026-03-01 10:01:00 Epoch 2/2 loss: 0.4\n";
  const auto log = read({chatter, first, chatter, second});
  EXPECT_LT(log.text.size(), 2 * mib);
  EXPECT_TRUE(log.text.ends_with(first + second)) << log.text.substr(log.text.size() - 200);
  ASSERT_EQ(log.notes.size(), 1U);
  EXPECT_THAT(log.notes[0], HasSubstr("lines without a word of progress not read"));
}

TEST_F(LogTextTest, RefusesMoreThanMemoryHolds) {
  const auto steps = repeated("2026-03-01 10:00:00 epoch 1/9 step 3/9 loss: 0.5\n", 16 * mib);
  EXPECT_THAT(
      [&] { read(std::vector(7, steps)); },
      ThrowsMessage<Error>(HasSubstr("a.log: found more than 96 MiB of lines with progress")));
}

}  // namespace
}  // namespace epochcast::progress
