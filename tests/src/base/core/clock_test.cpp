#include "src/base/core/clock.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

namespace epochcast {
namespace {

TEST(Clock, NeverGoesBack) {
  const SteadyClock clock;
  double before_s = clock.now_s();
  EXPECT_GE(before_s, 0);
  for (int i = 0; i < 1000; ++i) {
    const double now_s = clock.now_s();
    ASSERT_GE(now_s, before_s);
    before_s = now_s;
  }
}

TEST(Clock, StampsCarryTheirOffset) {
  const auto when = std::chrono::system_clock::from_time_t(1795252502);
  const struct {
    const char *zone, *stamp;
  } cases[] = {{"UTC0", "2026-11-21T09:15:02+00:00"},
               {"CET-1", "2026-11-21T10:15:02+01:00"},
               {"NST3:30", "2026-11-21T05:45:02-03:30"}};
  for (const auto& [zone, stamp] : cases) {
    setenv("TZ", zone, 1);
    tzset();
    EXPECT_EQ(iso8601(when), stamp);
  }
  unsetenv("TZ");
  tzset();
}

}  // namespace
}  // namespace epochcast
