#include <gtest/gtest.h>

#include "jobs/experiment/program.hpp"
#include "tests/jobs/support.hpp"

namespace epochcast::jobs {
namespace {

using test::error_of;

TEST(Placeholders, AreFoundOnceAndReplacedEverywhere) {
  EXPECT_EQ(placeholders("{a}-{b}-{a}-{{c}}"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(fill_placeholders("a{lr}b{{c}}{lr}", {{"lr", "0.1"}}), "a0.1b{c}0.1");
}

TEST(Placeholders, AValueIsNotReadForPlaceholdersAgain) {
  EXPECT_EQ(fill_placeholders("{a}", {{"a", "{b}"}, {"b", "no"}}), "{b}");
}

TEST(Placeholders, LiteralBracesComeBack) {
  for (const std::string text : {"", "{", "}", "{}", "{{x}}", "a{b}c", "{\"a\": {\"b\": 1}}"}) {
    const auto doubled = with_literal_braces(text);
    EXPECT_TRUE(placeholders(doubled).empty()) << doubled;
    EXPECT_EQ(fill_placeholders(doubled, {}), text);
  }
}

TEST(Placeholders, BracesThatAreNoneAreRefused) {
  EXPECT_EQ(error_of([] { std::ignore = placeholders("{lr"); }),
            "found '{lr' with a '{' that is not closed; write '{{' for a brace");
  EXPECT_EQ(error_of([] { std::ignore = placeholders("{\"a\": 1}"); }),
            "found '{\"a\": 1}', expected the name of a setting in braces; write '{{' and '}}' "
            "for braces");
}

}  // namespace
}  // namespace epochcast::jobs
