// When evaluations come, as it is stated and as the pauses seen show it.
#include "src/forecast/run/schedule.hpp"

#include <gtest/gtest.h>

namespace epochcast::forecast {
namespace {

TEST(Schedule, CountsWhatHasComeUpToAPoint) {
  const Schedule schedule{.first = 168, .every = 3};
  EXPECT_EQ(schedule.count_until(0), 0);
  EXPECT_EQ(schedule.count_until(167), 0);
  EXPECT_EQ(schedule.count_until(168), 1);
  EXPECT_EQ(schedule.count_until(173), 2);
  EXPECT_EQ(schedule.count_until(174), 3);
  const Schedule rounded{.first = 0.1, .every = 0.1};
  EXPECT_EQ(rounded.count_until(0.1 + 0.1 + 0.1), 3);
}

TEST(SeenSchedule, BeginsLateAndGoesOn) {
  const auto found = seen_schedule({0, 0.01, 5, 0, 5.2, 0, 4.9}, {10, 20, 30, 40, 50, 60, 70});
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->first, 30);
  EXPECT_DOUBLE_EQ(found->every, 20);
}

TEST(SeenSchedule, OfOneAloneIsAsMuchWorkAsBeforeIt) {
  const auto found = seen_schedule({0, 5, 0}, {10, 20, 30});
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->every, 20);
  EXPECT_FALSE(seen_schedule({5, 0, 0}, {10, 20, 30})) << "it did not come again";
}

TEST(SeenSchedule, IsNoneWherePausesAreAlikeOrIrregular) {
  EXPECT_FALSE(seen_schedule({}, {10}));
  EXPECT_FALSE(seen_schedule({5, 5, 5.1}, {10, 20, 30}));
  EXPECT_FALSE(seen_schedule({5, 2, 0, 0}, {10, 20, 30, 40}));
  EXPECT_FALSE(seen_schedule({5, 5, 0, 0, 5}, {10, 20, 30, 40, 50}));
}

}  // namespace
}  // namespace epochcast::forecast
