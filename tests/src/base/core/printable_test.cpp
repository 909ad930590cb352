// Texts of paths, records and logs that try to be more than text.
#include <gtest/gtest.h>

#include "src/base/core/text.hpp"

namespace epochcast {
namespace {

TEST(Printable, ShowsWhatATerminalWouldExecute) {
  EXPECT_EQ(printable("\x1b]0;title\x07"), "\\x1b]0;title\\x07");
  EXPECT_EQ(printable("a\u009b31mb"), "a\\u009b31mb") << "an escape sequence of one character";
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
}

TEST(Printable, ShowsWhatAReaderCouldNotSee) {
  EXPECT_EQ(printable("safe\u202egpj.exe"), "safe\\u202egpj.exe");
  EXPECT_EQ(printable("a\u2028b\ufeffc\u200bd"), "a\\u2028b\\ufeffc\\u200bd");
}

TEST(Printable, LeavesTextOfAnyLanguageAlone) {
  const std::string text = "é × 日本 \U0001F600 ±−";
  EXPECT_EQ(printable(text), text);
}

TEST(Printable, ShowsBytesThatAreNotUtf8) {
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("\xc3"), "\\xc3") << "cut off";
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf") << "overlong";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "above U+10FFFF";
  EXPECT_EQ(printable("\xe2\x82"
                      "a"),
            "\\xe2\\x82a");
}

TEST(Printable, KeepsLinesTabsAndCrlf) {
  EXPECT_EQ(printable_lines("a\tb\r\nc\rd\n\x1b[2J"), "a\tb\r\nc\\x0dd\n\\x1b[2J");
  EXPECT_EQ(printable_lines(""), "");
  EXPECT_EQ(printable_lines("\n\n"), "\n\n");
  EXPECT_EQ(printable_lines("é\tx"), "é\tx");
}

}  // namespace
}  // namespace epochcast
