#include <gtest/gtest.h>

#include <cmath>

#include "src/forecast/scaling/step_setting.hpp"

namespace epochcast::forecast {
namespace {

TEST(Nearness, AnErrorCountsByHalfAtOneDoublingAndHardlyFarAway) {
  const Nearness nearness;
  EXPECT_EQ(nearness.expected({}, {.batch = 8}), 0);
  EXPECT_NEAR(nearness.expected({{{.batch = 16}, 0.2}}, {.batch = 8}), 0.1, 1e-12);
  EXPECT_NEAR(nearness.expected({{{.batch = 8}, 0.2}}, {.batch = 8}), 0.2, 1e-4);
  EXPECT_LT(nearness.expected({{{.batch = 256}, 0.2}}, {.batch = 8}), 0.001);
}

// What runs with one worker miss says nothing of those with two, and the other way round.
TEST(Nearness, LearnsThatADimensionSeparates) {
  std::vector<MissedTime> missed;
  std::vector<StepSetting> settings;
  for (const double batch : {8, 16, 32, 64}) {
    for (const double workers : {1, 2}) {
      settings.push_back({.batch = batch, .workers = workers});
      missed.push_back({settings.back(), workers == 1 ? 0.2 : -0.2});
    }
  }
  const auto error = [&](const Nearness& nearness) {
    double sum = 0;
    for (std::size_t i = 0; i < missed.size(); ++i) {
      auto others = missed;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      sum += std::pow(nearness.expected(others, settings[i]) - missed[i].log_ratio, 2);
    }
    return sum;
  };
  const auto best = Nearness::best_for(settings, error);
  EXPECT_LT(error(best), 0.3 * error(Nearness()));
  const StepSetting between{.batch = 24, .workers = 2};
  EXPECT_LT(best.expected(missed, between), -0.15);
}

}  // namespace
}  // namespace epochcast::forecast
