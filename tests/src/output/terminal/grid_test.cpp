#include "src/output/terminal/grid.hpp"

#include <gtest/gtest.h>

namespace epochcast::terminal {
namespace {

TEST(Grid, PutsTextsBesideEachOther) {
  Grid grid({.rows = 2, .columns = 12});
  const int behind = grid.put(1, 2, "left", Style::bold);
  EXPECT_EQ(behind, 6);
  grid.put_right(1, 12, "end");
  EXPECT_EQ(grid.line(0), "");
  EXPECT_EQ(grid.line(1), "  left   end");
  EXPECT_EQ(grid.at(1, 2).style, Style::bold);
  EXPECT_EQ(grid.at(1, 9).style, Style::plain);
}

TEST(Grid, MarksWhereATextWasCut) {
  Grid grid({.rows = 1, .columns = 8});
  grid.put(0, 0, "much too long");
  EXPECT_EQ(grid.line(0), "much to…");
  grid.put(0, 0, "abcdef", Style::plain, 3);
  EXPECT_EQ(grid.line(0), "ab…h to…");
}

TEST(Grid, ANegativeColumnCutsTheStart) {
  Grid grid({.rows = 1, .columns = 4});
  grid.put(0, -3, "äbcdef");
  EXPECT_EQ(grid.line(0), "def");
}

TEST(Grid, WideCharactersTakeTwoColumnsAndMarksNone) {
  EXPECT_EQ(columns_of("日本"), 4);
  EXPECT_EQ(columns_of("e\u0301"), 1);
  Grid grid({.rows = 1, .columns = 6});
  EXPECT_EQ(grid.put(0, 0, "日e\u0301!"), 4);
  EXPECT_EQ(grid.line(0), "日e\u0301!");
  EXPECT_EQ(grid.at(0, 1).text, "") << "the right half";
  grid.put(0, 0, "日本日本");
  EXPECT_EQ(grid.line(0), "日本…") << "no half of a character";
}

TEST(Grid, ACellHoldsNoEndlessPileOfMarks) {
  Grid grid({.rows = 1, .columns = 3});
  std::string pile = "a";
  for (int i = 0; i < 100; ++i) {
    pile += "\u0301";
  }
  grid.put(0, 0, pile + "b");
  EXPECT_LE(grid.at(0, 0).text.size(), 16U);
  EXPECT_EQ(grid.at(0, 1).text, "b");
}

TEST(Grid, NoCellHoldsWhatCouldDriveATerminal) {
  Grid grid({.rows = 1, .columns = 60});
  grid.put(0, 0,
           "\x1b[31mred\r\n\a\x9b"
           "5m \u009b6m \u202e \xff");
  EXPECT_EQ(grid.line(0), "\\x1b[31mred\\x0d\\n\\x07\\x9b5m \\u009b6m \\u202e \\xff");
}

TEST(Grid, IgnoresWhatIsOutside) {
  Grid grid({.rows = 1, .columns = 2});
  grid.put(5, 0, "x");
  grid.put(-1, 0, "x");
  grid.put(0, 7, "x");
  EXPECT_EQ(grid.line(0), "");
  EXPECT_EQ(Grid({.rows = -1, .columns = 5}).size().rows, 0);
}

}  // namespace
}  // namespace epochcast::terminal
