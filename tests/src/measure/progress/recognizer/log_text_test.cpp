#include "src/measure/progress/recognizer/log_text.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/core/error.hpp"

namespace epochcast::progress {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::size_t mib = std::size_t(1) << 20;

std::string repeated(const std::string& line, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) {
    text += line;
  }
  return text;
}

TEST(LogText, KeepsASmallLogAsItIs) {
  LogText text("a.log", "auto", "");
  text.add("one\r\ntwo\b\n\nth");
  text.add("ree");
  EXPECT_EQ(text.take(), "one\r\ntwo\b\n\nthree");
  EXPECT_THAT(text.notes(), ElementsAre());
}

TEST(LogText, CutsALineWithoutAnEndAndSaysSo) {
  LogText text("a.log", "auto", "");
  text.add("Epoch 1\n");
  for (int i = 0; i < 70; ++i) {
    text.add(std::string(mib, 'x'));
  }
  text.add("\nEpoch 2\n");
  EXPECT_EQ(text.take(), "Epoch 1\n" + std::string(mib, 'x') + "\nEpoch 2\n");
  EXPECT_THAT(text.notes(), ElementsAre("a.log: 1 line of more than 1 MiB, cut there"));
}

TEST(LogText, OfALargeLogOnlyLinesOfProgressAreKept) {
  LogText text("a.log", "auto", "");
  const auto chatter = repeated("2026-03-01 10:00:00 worker 3: nothing new was found\n", 33 * mib);
  const std::string first = "2026-03-01 10:00:00 Epoch 1/2 loss: 0.5\n";
  const std::string second = "2026-03-01 10:01:00 Epoch 2/2 loss: 0.4\n";
  text.add(chatter + first);
  text.add(chatter + second);
  const auto kept = text.take();
  EXPECT_LT(kept.size(), 2 * mib);
  EXPECT_TRUE(kept.ends_with(first + second)) << kept.substr(kept.size() - 200);
  ASSERT_EQ(text.notes().size(), 1U);
  EXPECT_THAT(text.notes()[0], HasSubstr("lines without a word of progress not read"));
}

TEST(LogText, RefusesMoreThanMemoryHolds) {
  LogText text("a.log", "auto", "");
  const auto steps = repeated("2026-03-01 10:00:00 epoch 1/9 step 3/9 loss: 0.5\n", 16 * mib);
  try {
    for (int i = 0; i < 7; ++i) {
      text.add(steps);
    }
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("a.log: found more than 96 MiB of lines with progress"));
  }
}

}  // namespace
}  // namespace epochcast::progress
