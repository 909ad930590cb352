#include "src/base/text/utf8.hpp"

#include <gtest/gtest.h>

namespace epochcast::text {
namespace {

const std::string mark = "\xEF\xBF\xBD";  // U+FFFD

TEST(Utf8, WhatIsNoUtf8BecomesWhatPythonMakesOfIt) {
  const struct {
    std::string bytes;
    std::string expected;
  } cases[] = {
      {"", ""},
      {"plain", "plain"},
      {"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"},
      {"a\x80z", "a" + mark + "z"},
      {"\xC3", mark},
      {"\xE2\x82", mark},  // a beginning that could go on: one
      {"\xE2\x82(", mark + "("},
      {"\xF0\x9F\x98z", mark + "z"},
      {"\xC0\xAF", mark + mark},  // overlong: no beginning, so each byte alone
      {"\xE0\x80\xAF", mark + mark + mark},
      {"\xED\xA0\x80", mark + mark + mark},             // a surrogate
      {"\xF4\x90\x80\x80", mark + mark + mark + mark},  // above U+10FFFF
      {"\xF5\xFE\xFF", mark + mark + mark},
      {"\xE1\xA0\xC2\xA3", mark + "\xC2\xA3"},
  };
  for (const auto& [bytes, expected] : cases) {
    std::string mended;
    EXPECT_EQ(valid_utf8(bytes, mended), expected) << bytes;
  }
}

TEST(Utf8, EveryCodePointGoesToBytesAndBack) {
  for (char32_t code = 0; code < 0x110000; ++code) {
    if (code >= 0xD800 && code <= 0xDFFF) {
      continue;
    }
    std::string text = "x";
    append_utf8(code, text);
    std::string mended;
    ASSERT_EQ(valid_utf8(text, mended), text) << std::hex << std::uint32_t(code);
    std::size_t at = 1;
    ASSERT_EQ(next_code_point(text, at), code);
    ASSERT_EQ(at, text.size());
    ASSERT_EQ(code_point_before(text, at), 1U);
  }
}

}  // namespace
}  // namespace epochcast::text
