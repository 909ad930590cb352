#include "src/measure/progress/lines/line_splitter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/measure/progress/lines/hints.hpp"

namespace epochcast::progress {
namespace {

using testing::ElementsAre;

std::vector<std::string> lines_in(const std::vector<std::string>& pieces) {
  LineSplitter splitter;
  std::vector<std::string> lines;
  const auto keep = [&](const Line& line) { lines.emplace_back(line.text); };
  for (const auto& piece : pieces) {
    splitter.read(piece, 0, keep);
  }
  splitter.finish(keep);
  return lines;
}

TEST(LineSplitter, EndsLinesWhereATerminalWould) {
  EXPECT_THAT(lines_in({"one\ntwo\r\nthree\rfour\b\b\bfive"}),
              ElementsAre("one", "two", "three", "four", "five"));
  EXPECT_THAT(lines_in({"bar\x1b[Aagain\x1b[2J", "end"}), ElementsAre("bar", "again", "end"));
}

TEST(LineSplitter, TakesColoursAndTitlesOut) {
  EXPECT_THAT(lines_in({"\x1b[1m6/6\x1b[0m \x1b[38;2;1;2;3m━━\x1b[0m \x1b]0;title\a loss\x1b(B\n"}),
              ElementsAre("6/6 ━━  loss"));
}

TEST(LineSplitter, IsTheSameWhereverThePiecesAreCut) {
  const std::string text = "a \xe2\x94\x81 b\r\n\x1b[1mEpoch 1/3\x1b[0m\rnext\x1b[A\nlast";
  const auto whole = lines_in({text});
  for (std::size_t cut = 1; cut < text.size(); ++cut) {
    EXPECT_EQ(lines_in({text.substr(0, cut), text.substr(cut)}), whole) << cut;
  }
}

TEST(LineSplitter, ReplacesWhatIsNotUtf8) {
  EXPECT_THAT(lines_in({"a\xff\xc3(b\n"}), ElementsAre("a\xef\xbf\xbd\xef\xbf\xbd(b"));
}

TEST(LineSplitter, CutsOffLongLinesWithoutKeepingThem) {
  const std::string part(100'000, 'x');
  std::vector<std::string> pieces(100, part);
  pieces.emplace_back("\nEpoch 1\n");
  const auto lines = lines_in(pieces);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0], std::string(longest_line, 'x'));
  EXPECT_EQ(lines[1], "Epoch 1");
  const auto wide = lines_in({std::string(longest_line - 1, 'x') + "━━\n"});
  EXPECT_EQ(wide[0], std::string(longest_line - 1, 'x'));
}

TEST(LineSplitter, DeliversLinesOfInterestOnly) {
  const Hints hints({"poch", "%|"});
  LineSplitter splitter([&](auto bytes, auto from) { return hints.find(bytes, from); });
  std::vector<std::string> lines;
  splitter.read("one\nEpoch 1\ntwo 5%|\rthree\nfour", 0,
                [&](const Line& line) { lines.emplace_back(line.text); });
  EXPECT_THAT(lines, ElementsAre("Epoch 1", "two 5%|"));
}

TEST(Hints, FindsEachAtAnyPlace) {
  const Hints hints({"abc", "%|", "━━"});
  for (std::size_t before = 0; before < 10; ++before) {
    for (const std::string hint : {"abc", "%|", "━━"}) {
      for (std::size_t after = 0; after < 6; ++after) {
        const auto text = std::string(before, 'a') + hint + std::string(after, 'b');
        EXPECT_EQ(hints.find(text, 0), before) << text;
      }
    }
  }
  EXPECT_EQ(hints.find("ab%a|", 0), std::string::npos);
}

}  // namespace
}  // namespace epochcast::progress
