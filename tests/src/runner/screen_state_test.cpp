#include <gtest/gtest.h>

#include <string>

#include "src/runner/outlet.hpp"

namespace epochcast::runner {
namespace {

struct Expected {
  std::string bytes;
  bool at_line_start;
  bool between_characters;
};

TEST(ScreenState, ALineOfOursFitsOnlyAtTheStartOfALine) {
  const Expected cases[] = {
      {"", true, true},
      {"text", false, true},
      {"text\n", true, true},
      {"text\r\n", true, true},
      {"text\r", false, true},  // a bar that will be drawn again
      {"\n\r", true, true},
      {"\nb", false, true},
      {"\xc3", false, false},
      {"\xc3\xa4", false, true},
      {"\xe2\x96\x88\xe2\x96", false, false},
      {"\xf0\x9f\x9a\x80\n", true, true},
      {"\xc3\n", true, true},  // no UTF-8
      {"\x80\x80", false, true},
      {"\n\033", false, false},
      {"\n\033[", false, false},
      {"\n\033[1;3", false, false},
      {"\n\033[1A", false, true},  // the cursor has moved
      {"\033]0;title", false, false},
      {"\033]0;title\007\n", true, true},
      {"\033]0;title\033\\\n", true, true},
      {"\033P1;x\033\\", false, true},
      {"\033(B\n", true, true},
      {"\0337", false, true},
  };
  for (const auto& expected : cases) {
    ScreenState whole;
    whole.read(expected.bytes);
    EXPECT_EQ(whole.at_line_start(), expected.at_line_start)
        << testing::PrintToString(expected.bytes);
    EXPECT_EQ(whole.between_characters(), expected.between_characters)
        << testing::PrintToString(expected.bytes);
    ScreenState bytewise;
    for (const char byte : expected.bytes) {
      bytewise.read(std::string(1, byte));
    }
    EXPECT_EQ(bytewise.at_line_start(), expected.at_line_start)
        << testing::PrintToString(expected.bytes);
  }
}

TEST(ScreenState, TheEndOfALongOutputDecides) {
  ScreenState state;
  state.read(std::string(10000, 'x') + "\n");
  EXPECT_TRUE(state.at_line_start());
  state.read(std::string(10000, '\n') + "x");
  EXPECT_FALSE(state.at_line_start());
}

}  // namespace
}  // namespace epochcast::runner
