#include "src/serving/service/cache.hpp"

#include <gtest/gtest.h>

namespace epochcast::serve {
namespace {

struct SetClock : Clock {
  double now_s() const override { return time_s; }
  double time_s = 0;
};

class MemoryCacheTest : public testing::Test {
 protected:
  SetClock clock_;
};

TEST_F(MemoryCacheTest, GivesWhatItKeeps) {
  MemoryCache cache({}, clock_);
  EXPECT_EQ(cache.find("a"), std::nullopt);
  cache.keep("a", "1");
  EXPECT_EQ(cache.find("a"), "1");
  cache.keep("a", "2");
  EXPECT_EQ(cache.find("a"), "2");
  EXPECT_EQ(cache.entries(), 1U);
}

TEST_F(MemoryCacheTest, ForgetsAfterItsTimeHoweverOftenItIsAsked) {
  MemoryCache cache({.time_s = 60}, clock_);
  cache.keep("a", "1");
  clock_.time_s = 59.9;
  EXPECT_EQ(cache.find("a"), "1");
  clock_.time_s = 60;
  EXPECT_EQ(cache.find("a"), std::nullopt);
  EXPECT_EQ(cache.entries(), 0U);
}

TEST_F(MemoryCacheTest, MakesRoomByForgettingWhatWasNotAskedForTheLongest) {
  MemoryCache cache({.entries = 2}, clock_);
  cache.keep("a", "1");
  cache.keep("b", "2");
  EXPECT_EQ(cache.find("a"), "1");
  cache.keep("c", "3");
  EXPECT_EQ(cache.find("b"), std::nullopt);
  EXPECT_EQ(cache.find("a"), "1");
  EXPECT_EQ(cache.find("c"), "3");
}

TEST_F(MemoryCacheTest, HoldsNoMoreBytesThanItMay) {
  MemoryCache cache({.bytes = 20}, clock_);
  cache.keep("a", std::string(9, 'x'));
  cache.keep("b", std::string(9, 'x'));
  EXPECT_EQ(cache.entries(), 2U);
  cache.keep("c", "x");
  EXPECT_EQ(cache.find("a"), std::nullopt);
  cache.keep("d", std::string(20, 'x'));  // alone too large: nothing has to go for it
  EXPECT_EQ(cache.find("d"), std::nullopt);
  EXPECT_EQ(cache.entries(), 2U);
}

TEST(CacheKey, TellsModelsAndItemsApart) {
  const auto key = cache_key("m", {"ab", "c"});
  EXPECT_EQ(key, cache_key("m", {"ab", "c"}));
  EXPECT_NE(key, cache_key("m", {"a", "bc"}));
  EXPECT_NE(key, cache_key("m", {"c", "ab"}));
  EXPECT_NE(key, cache_key("m", {"abc"}));
  EXPECT_NE(key, cache_key("n", {"ab", "c"}));
  EXPECT_NE(cache_key("m", {"1:a"}), cache_key("m", {"", "a"}));
}

}  // namespace
}  // namespace epochcast::serve
