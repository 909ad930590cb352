#include "src/measure/progress/rows/recount.hpp"

#include <gtest/gtest.h>

#include <string>

namespace epochcast::progress {
namespace {

/// What becomes of readings that come a second after each other: the numbers that are passed on,
/// with "+" before one that begins again, and "!" for a conflict.
std::string passed(const std::vector<Reading>& readings) {
  Recount recount;
  std::string passed;
  double at_s = 0;
  const auto show = [&](const std::vector<TimedReading>& known) {
    for (const auto& [reading, known_at_s, since_s] : known) {
      passed += !reading.conflict.empty()                      ? "!"
                : reading.restart.what == Statement::new_phase ? "+"
                                                               : "";
      passed += std::to_string(reading.step.value_or(reading.epoch.value_or(-1))) + " ";
    }
  };
  for (const auto& reading : readings) {
    show(recount.add({reading, ++at_s}));
  }
  show(recount.finish());
  return passed;
}

std::string rounds(std::initializer_list<std::int64_t> numbers) {
  std::vector<Reading> readings;
  for (const auto number : numbers) {
    readings.push_back({.epoch = number, .since_epoch = 0, .ends_epoch = true});
  }
  return passed(readings);
}

std::string steps(std::initializer_list<std::int64_t> numbers) {
  std::vector<Reading> readings;
  for (const auto number : numbers) {
    readings.push_back({.epoch = 0, .epochs = 1, .step = number, .steps = 40});
  }
  return passed(readings);
}

TEST(Recount, RoundsBeginAgainWithTheNumberThatTheyBeganWith) {
  EXPECT_EQ(rounds({0, 1, 2, 0, 1, 2, 3, 0, 1}), "0 1 2 +0 1 2 3 +0 1 ");
  EXPECT_EQ(rounds({9, 19, 29, 9, 19, 29}), "9 19 29 +9 19 29 ");
}

TEST(Recount, AnEarlierNumberAloneIsAMention) {
  EXPECT_EQ(rounds({9, 19, 29, 21}), "9 19 29 ");
  EXPECT_EQ(rounds({9, 19, 29, 6, 9, 19}), "9 19 29 +9 19 ");
}

TEST(Recount, StepsOfARunThatWasNotAtItsEndAreAConflict) {
  EXPECT_EQ(steps({10, 20, 30, 40, 10, 20}), "10 20 30 40 +10 20 ");
  EXPECT_EQ(steps({10, 20, 30, 10, 20}), "10 20 30 !10 20 ");
  EXPECT_EQ(steps({10, 20, 30, 20, 40}), "10 20 30 20 40 ");
}

TEST(Recount, TheStatedClockGoesOn) {
  Recount recount;
  const auto clock_s = [&](std::int64_t round, double at_s) {
    double last_s = -1;
    for (const auto& known : recount.add(
             {{.epoch = round, .clock_s = at_s, .since_epoch = 0, .ends_epoch = true}, at_s})) {
      last_s = *known.reading.clock_s;
    }
    return last_s;
  };
  EXPECT_EQ(clock_s(0, 8), 8);
  EXPECT_EQ(clock_s(1, 16), 16);
  EXPECT_EQ(clock_s(0, 8), -1);
  EXPECT_EQ(clock_s(1, 16), 32);
}

}  // namespace
}  // namespace epochcast::progress
