#include "src/measure/progress/recognizer/stated_times.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace epochcast::progress {
namespace {

using testing::HasSubstr;

/// Epochs of these seconds, of `steps` steps, each `between_s` after the one before.
Rows epochs(std::initializer_list<double> walls_s, std::int64_t steps = 0, double between_s = 0) {
  Rows rows;
  double start_s = 0;
  for (const auto wall_s : walls_s) {
    rows.epochs.push_back({.epoch = std::int64_t(rows.epochs.size()),
                           .start_s = start_s,
                           .wall_s = wall_s,
                           .iterations = steps});
    start_s += wall_s + between_s;
  }
  return rows;
}

TEST(StatedTimes, AMuchShorterTotalContradictsTheEpochs) {
  const auto rows = epochs({300, 310, 290});
  const auto plain = NumberFormat::plain;
  EXPECT_EQ(total_contradicts("Total training time: 0:15:10\n", rows, plain), "");
  EXPECT_THAT(total_contradicts("Total training time: 0:05:10\n", rows, plain),
              HasSubstr("add up to 900 s, and the log states 310 s for all"));
}

TEST(StatedTimes, ATotalHasTheSignsOfTheOtherNumbers) {
  const auto rows = epochs({1300.5, 1310, 1290});
  const auto of = [&](const char* total, NumberFormat numbers) {
    return total_contradicts(std::string("training finished in ") + total + " s\n", rows, numbers);
  };
  EXPECT_EQ(of("3,901.2", NumberFormat::point), "");
  EXPECT_EQ(of("3.901,2", NumberFormat::comma_dots), "");
  EXPECT_THAT(of("1,901.2", NumberFormat::point), HasSubstr("states 1901 s for all"));
  EXPECT_EQ(of("3,901", NumberFormat::undecided), "") << "3901 s, or 3.901 s";
}

TEST(StatedTimes, ARateOfAnotherUnitContradictsTheSteps) {
  const auto rows = epochs({50, 51, 49}, 100);
  EXPECT_EQ(rate_contradicts("a 2.0 it/s\nb 2.1 it/s\nc 1.9 it/s\n", rows, {}), "");
  EXPECT_EQ(rate_contradicts("a 510 ms/step\nb 500 ms/step\nc 490 ms/step\n", rows, {}), "");
  EXPECT_THAT(rate_contradicts("a 50 ms/step\nb 30 ms/step\nc 40 ms/step\n", rows, {}),
              HasSubstr("a step took 0.5 s by the epochs, and 0.04 s by what the log states"));
  EXPECT_EQ(rate_contradicts("a 50 ms/step\nb 30 ms/step\n", rows, {}), "") << "too few";
  EXPECT_EQ(rate_contradicts("val 9 it/ms\ntest 900 it/s\neval 900 it/s\nval 900 it/s\n", rows, {}),
            "")
      << "of evaluations";
}

TEST(StatedTimes, ALongerTimeThatIsLeftContradictsTheEpochs) {
  const auto rows = epochs({5, 5, 5});
  const std::string text = "ETA: 0:45:00\nETA: 0:44:00\nETA: 0:43:00\n";
  EXPECT_EQ(rate_contradicts(text, rows, 500), "");
  EXPECT_THAT(rate_contradicts(text, rows, 20),
              HasSubstr("20 epochs take 5 s each, and the log states that more time is left"));
}

TEST(StatedTimes, MoreTimeBetweenEpochsThanInThemContradictsThem) {
  EXPECT_EQ(span_contradicts(epochs({60, 61, 59, 60}, 0, 30)), "");
  EXPECT_THAT(span_contradicts(epochs({60, 61, 59, 60}, 0, 100)),
              HasSubstr("epochs seem to take 60 s, and 100 s pass between them"));
  EXPECT_EQ(span_contradicts(epochs({60, 61, 59}, 0, 100)), "") << "too few";
}

}  // namespace
}  // namespace epochcast::progress
