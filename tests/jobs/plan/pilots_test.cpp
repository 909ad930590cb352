#include "jobs/plan/pilots.hpp"

#include <gtest/gtest.h>

namespace epochcast::jobs {
namespace {

TEST(PilotEpochs, AreATenthOfTheLongestRunFromTwoToTenUnlessGiven) {
  EXPECT_EQ(pilot_epochs(0, 0), 2) << "the length is not known";
  EXPECT_EQ(pilot_epochs(0, 29), 2);
  EXPECT_EQ(pilot_epochs(0, 30), 3);
  EXPECT_EQ(pilot_epochs(0, 4000), 10);
  EXPECT_EQ(pilot_epochs(50, 30), 50);
  EXPECT_EQ(pilot_epochs(1, 4000), 1);
}

}  // namespace
}  // namespace epochcast::jobs
