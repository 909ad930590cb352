#include <gtest/gtest.h>

#include "src/forecast/run/run_length.hpp"

namespace epochcast::forecast {
namespace {

TEST(CutEpoch, IsALastOneThatIsShorterThanAllOthers) {
  EXPECT_TRUE(ends_within_last({100, 100, 30}));
  EXPECT_TRUE(ends_within_last({130, 100, 101, 99, 1}));
  EXPECT_TRUE(ends_within_last({100, 100, 90}));
  EXPECT_FALSE(ends_within_last({100, 100, 98})) << "machines differ by as much";
  EXPECT_FALSE(ends_within_last({100, 100, 120}));
  EXPECT_FALSE(ends_within_last({100, 30, 100, 100, 40})) << "another one was as short";
  EXPECT_FALSE(ends_within_last({100, 80, 60, 45})) << "times fall";
  EXPECT_FALSE(ends_within_last({100, 30})) << "a warm-up";
  EXPECT_FALSE(ends_within_last({}));
}

}  // namespace
}  // namespace epochcast::forecast
