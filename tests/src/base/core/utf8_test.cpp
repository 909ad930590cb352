#include "src/base/core/utf8.hpp"

#include <gtest/gtest.h>

#include <string>

namespace epochcast {
namespace {

TEST(FirstCodePoint, HasOneToFourBytes) {
  for (const auto& [text, code, bytes] :
       {std::tuple{"a?", U'a', 1U}, {"é?", U'é', 2U}, {"…?", U'…', 3U}, {"😀?", U'😀', 4U}}) {
    const auto found = first_code_point(text);
    ASSERT_TRUE(found) << text;
    EXPECT_EQ(found->code, code);
    EXPECT_EQ(found->bytes, bytes);
  }
}

TEST(FirstCodePoint, IsNoneWhereTheBytesAreNotUtf8) {
  for (const std::string text : {"\x80", "\xC0\x80", "\xC3", "\xE0\x80\x80", "\xED\xA0\x80",
                                 "\xE2\x82", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xC3\x28"}) {
    EXPECT_FALSE(first_code_point(text)) << text.size();
  }
}

}  // namespace
}  // namespace epochcast
