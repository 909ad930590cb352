#include "src/serving/load/stages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/files.hpp"

namespace epochcast::load {
namespace {

using ::testing::HasSubstr;

TEST(Stages, AreLoadsAndTimes) {
  const auto stages = parse_stages("10/s:30s, 10-20.5/s:1m", "poisson");
  ASSERT_EQ(stages.list.size(), 2U);
  EXPECT_TRUE(stages.are_rates);
  EXPECT_EQ(stages.list[0].from, 10);
  EXPECT_EQ(stages.list[0].to, 10);
  EXPECT_EQ(stages.list[0].duration_s, 30);
  EXPECT_EQ(stages.list[1].to, 20.5);
  EXPECT_EQ(stages.total_s(), 90);
  EXPECT_EQ(stages.most(), 20.5);
  EXPECT_EQ(stages.at(29.9), 0U);
  EXPECT_EQ(stages.at(30), 1U);
  EXPECT_EQ(stages.at(1000), 1U);
}

TEST(Stages, OfTheStudyAreThePublishedOnes) {
  const auto stages = parse_stages("study", "closed");
  ASSERT_EQ(stages.list.size(), 3U);
  EXPECT_EQ(stages.total_s(), 30 + 7 * 60 + 3 * 60);
  EXPECT_EQ(stages.list[0].from, 1);
  EXPECT_EQ(stages.list[1].from, 10);
  EXPECT_EQ(stages.list[2].to, 0);
  EXPECT_EQ(parse_stages("study_local", "closed").most(), 20);
}

TEST(Stages, OfTheStudyCanBeShortened) {
  const auto stages = parse_stages("study/60", "closed");
  EXPECT_DOUBLE_EQ(stages.total_s(), 10.5);
  EXPECT_EQ(stages.most(), 10);
}

TEST(Stages, RefuseOtherTexts) {
  for (const std::string text :
       {"", "10", "10/s", "10/s:", "10/s:30", ":30s", "x/s:30s", "-1/s:30s", "10/s:0s", "nan/s:1s",
        "1-/s:30s", "10/s:30s,", "study/0", "study/x", "stady"}) {
    EXPECT_THAT(error_of([&] { (void)parse_stages(text, "poisson"); }),
                HasSubstr("expected LOAD:TIME"))
        << text;
  }
}

TEST(Stages, AreUsersExactlyInAClosedLoop) {
  EXPECT_THAT(error_of([] { (void)parse_stages("10/s:30s", "closed"); }),
              HasSubstr("expected numbers of users"));
  EXPECT_THAT(error_of([] { (void)parse_stages("10:30s", "poisson"); }),
              HasSubstr("expected rates"));
  EXPECT_THAT(error_of([] { (void)parse_stages("10/s:30s,10:30s", "constant"); }),
              HasSubstr("expected either users or rates"));
  EXPECT_THAT(error_of([] { (void)parse_stages("1.5:30s", "closed"); }),
              HasSubstr("whole numbers of users"));
  EXPECT_THAT(error_of([] { (void)parse_stages("0/s:30s", "constant"); }),
              HasSubstr("a load above 0"));
}

/// How many users are active at a time.
std::size_t active_at(const Stages& stages, double time_s) {
  std::size_t count = 0;
  for (std::size_t user = 0; user < 20; ++user) {
    count += next_active_s(stages, user, time_s) == time_s ? 1 : 0;
  }
  return count;
}

TEST(Users, ComeAndGoAsInK6) {
  // One more every 30/9 s, then ten, then one less every 18 s.
  const auto stages = parse_stages("study", "closed");
  EXPECT_EQ(active_at(stages, 0), 1U);
  EXPECT_EQ(active_at(stages, 3.3), 1U);
  EXPECT_EQ(active_at(stages, 3.4), 2U);
  EXPECT_EQ(active_at(stages, 29.9), 9U);
  EXPECT_EQ(active_at(stages, 30), 10U);
  EXPECT_EQ(active_at(stages, 449), 10U);
  EXPECT_EQ(active_at(stages, 451), 10U);
  EXPECT_EQ(active_at(stages, 469), 9U);
  EXPECT_EQ(active_at(stages, 629), 1U);
  EXPECT_EQ(active_at(stages, 630), 0U);
}

TEST(Users, WaitForTheirStage) {
  const auto stages = parse_stages("1:10s,3:10s,1:10s,2:10s", "closed");
  EXPECT_EQ(next_active_s(stages, 0, 5), 5);
  EXPECT_EQ(next_active_s(stages, 1, 5), 10);
  EXPECT_EQ(next_active_s(stages, 1, 25), 30);
  EXPECT_EQ(next_active_s(stages, 2, 25), std::nullopt);
  EXPECT_EQ(next_active_s(stages, 0, 40), std::nullopt);
}

}  // namespace
}  // namespace epochcast::load
