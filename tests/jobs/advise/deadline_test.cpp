// Deadlines as people write them.
#include "jobs/advise/deadline.hpp"

#include <gtest/gtest.h>

#include "tests/jobs/support.hpp"

namespace epochcast::jobs {
namespace {

constexpr double hour_in_s = 3600;

class Deadline : public testing::Test {
 protected:
  Deadline() { tzset(); }
  ~Deadline() override {}
  test::WithVariable zone_{"TZ", "UTC"};
  std::time_t now_ = 1795600800;  ///< Wednesday, 2026-11-25 10:00 UTC.
};

TEST_F(Deadline, ReadsDaysTimesAndDurations) {
  tzset();
  EXPECT_EQ(seconds_until("18:00", now_), 8 * hour_in_s);
  EXPECT_EQ(seconds_until("09:00", now_), 23 * hour_in_s);
  EXPECT_EQ(seconds_until("Fri 18:00", now_), (48 + 8) * hour_in_s);
  EXPECT_EQ(seconds_until("friday 18:00", now_), (48 + 8) * hour_in_s);
  EXPECT_EQ(seconds_until("Wed 18:00", now_), 8 * hour_in_s);
  EXPECT_EQ(seconds_until("Wed 09:00", now_), (7 * 24 - 1) * hour_in_s);
  EXPECT_EQ(seconds_until("2026-11-26 10:00", now_), 24 * hour_in_s);
  EXPECT_EQ(seconds_until("2026-11-26T10:00", now_), 24 * hour_in_s);
  EXPECT_EQ(seconds_until("6h", now_), 6 * hour_in_s);
}

TEST_F(Deadline, RefusesWhatIsNoTimeOrIsOver) {
  for (const auto* text : {"", "soon", "Fri", "25:00", "18:60", "Xyz 18:00", "18", "0s", "1:2:3"}) {
    EXPECT_NE(test::error_of([&] { seconds_until(text, now_); }), "") << text;
  }
  EXPECT_EQ(test::error_of([&] { seconds_until("2026-11-24 10:00", now_); }),
            "--deadline: '2026-11-24 10:00' is over");
}

}  // namespace
}  // namespace epochcast::jobs
