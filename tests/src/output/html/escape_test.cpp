#include "src/output/html/escape.hpp"

#include <gtest/gtest.h>

namespace epochcast::html {
namespace {

TEST(Escape, TurnsMarksIntoEntities) {
  EXPECT_EQ(escaped("<script>alert('x' & \"y\")</script>"),
            "&lt;script&gt;alert(&#39;x&#39; &amp; &quot;y&quot;)&lt;/script&gt;");
}

TEST(Escape, KeepsTextOfAnyLanguage) {
  EXPECT_EQ(escaped("Zürich – 数据 é × 😀"), "Zürich – 数据 é × 😀");
}

TEST(Escape, MakesControlsVisible) {
  EXPECT_EQ(escaped(std::string_view("a\nb\t\x1b[31m\x7f\0c", 12)),
            "a\\nb\\x09\\x1b[31m\\x7f\\x00c");
  EXPECT_EQ(escaped("\xC2\x9B"
                    "31m"),
            "\\x9b31m");  // the control sequence introducer in one byte
}

TEST(Escape, MakesVisibleWhatReordersOrHidesText) {
  EXPECT_EQ(escaped("exe\u202Etxt"), "exe\\u202etxt");
  EXPECT_EQ(escaped("a\u2066b\u200Bc\uFEFFd\u2028e"), "a\\u2066b\\u200bc\\ufeffd\\u2028e");
  EXPECT_EQ(escaped("x\U000E0041y"), "x\\U000e0041y");
}

TEST(Escape, ReplacesBytesThatAreNotUtf8) {
  const std::string replaced = "\xEF\xBF\xBD";
  EXPECT_EQ(escaped("a\xFFz"), "a" + replaced + "z");
  EXPECT_EQ(escaped("\xC0\xBC"), replaced + replaced);                 // '<' in two bytes
  EXPECT_EQ(escaped("\xE0\x80\xBC"), replaced + replaced + replaced);  // and in three
  EXPECT_EQ(escaped("\xED\xA0\x80"), replaced + replaced + replaced);  // half of a pair of UTF-16
  EXPECT_EQ(escaped("\xF4\x90\x80\x80"), replaced + replaced + replaced + replaced);
  EXPECT_EQ(escaped("cut \xE2\x82"), "cut " + replaced + replaced);
}

TEST(Escape, LeavesNoMarkOfAnyByteOrPairOfBytes) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string bytes{static_cast<char>(first), static_cast<char>(second)};
      const auto text = escaped(bytes);
      EXPECT_EQ(text.find_first_of("<>\"'\n\r\x1b"), std::string::npos) << first << " " << second;
    }
  }
}

}  // namespace
}  // namespace epochcast::html
