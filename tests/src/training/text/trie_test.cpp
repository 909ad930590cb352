#include "src/training/text/trie.hpp"

#include <gtest/gtest.h>

namespace epochcast::text {
namespace {

TEST(Trie, FindsTheLongestKeyATextBeginsWith) {
  const Trie trie({{"a", 0}, {"abc", 1}, {"b", 2}, {"\xC3\xA9", 3}, {"abd", 4}});
  EXPECT_EQ(trie.longest("abcd")->id, 1);
  EXPECT_EQ(trie.longest("abcd")->length, 3U);
  EXPECT_EQ(trie.longest("abx")->id, 0);
  EXPECT_EQ(trie.longest("abx")->length, 1U);
  EXPECT_EQ(trie.longest("\xC3\xA9z")->length, 2U);
  EXPECT_FALSE(trie.longest("\xC3"));
  EXPECT_FALSE(trie.longest("cab"));
  EXPECT_FALSE(trie.longest(""));
}

TEST(Trie, FindsAKeyItself) {
  const Trie trie({{"abc", 1}, {"ab", 2}});
  EXPECT_EQ(trie.find("ab"), 2);
  EXPECT_EQ(trie.find("abc"), 1);
  EXPECT_FALSE(trie.find("a"));
  EXPECT_FALSE(trie.find("abcd"));
  EXPECT_FALSE(Trie({}).find("a"));
}

}  // namespace
}  // namespace epochcast::text
