#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/serving/service/batcher.hpp"

namespace epochcast::serve {
namespace {

using testing::ElementsAre;

TEST(BatchChoice, TakesAllInTheirOrderIfTheyAreSimilar) {
  EXPECT_THAT(choose_batch(std::vector<std::int64_t>{10, 12, 9}, 8), ElementsAre(0, 1, 2));
}

TEST(BatchChoice, LeavesAMuchLongerInputForALaterBatch) {
  EXPECT_THAT(choose_batch(std::vector<std::int64_t>{10, 500, 11}, 8), ElementsAre(0, 2));
}

TEST(BatchChoice, LeavesMuchShorterOnesWhenTheOldestIsLong) {
  EXPECT_THAT(choose_batch(std::vector<std::int64_t>{500, 10, 400}, 8), ElementsAre(0, 2));
}

TEST(BatchChoice, AlwaysTakesTheOldestAndThenTheNearestInLength) {
  EXPECT_THAT(choose_batch(std::vector<std::int64_t>{20, 30, 21, 38, 19}, 3), ElementsAre(0, 2, 4));
}

TEST(BatchChoice, PrefersTheOlderOfEquals) {
  EXPECT_THAT(choose_batch(std::vector<std::int64_t>{1, 1, 1, 1}, 2), ElementsAre(0, 1));
}

TEST(BatchChoice, OfOneTakesTheOldestAlone) {
  EXPECT_THAT(choose_batch(std::vector<std::int64_t>{7, 7}, 1), ElementsAre(0));
}

}  // namespace
}  // namespace epochcast::serve
