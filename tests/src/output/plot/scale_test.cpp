#include "src/output/plot/scale.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "src/output/plot/thin.hpp"
#include "src/output/plot/words.hpp"

namespace epochcast::plot {
namespace {

using testing::ElementsAre;

std::vector<std::string> labels(const Axis& axis, const std::vector<double>& values,
                                std::size_t most = 6) {
  std::vector<std::string> result;
  for (const auto& tick : Scale(axis, values, true).ticks(most)) {
    result.push_back(tick.label);
  }
  return result;
}

TEST(Scale, HasRoundMarks) {
  EXPECT_THAT(labels({.label = "", .from_zero = true}, {30522}),
              ElementsAre("0", "10\u00A0k", "20\u00A0k", "30\u00A0k"));
  EXPECT_THAT(labels({.label = "", .whole = true}, {1, 2, 3}),
              ElementsAre("0", "1", "2", "3", "4"));
  EXPECT_THAT(labels({.label = "", .scale = Axis::Scale::log}, {1, 600}, 4),
              ElementsAre("1", "10", "100"));
  EXPECT_THAT(labels({.label = "", .scale = Axis::Scale::log}, {2e-5, 5e-5}, 4),
              testing::Contains("3×10⁻⁵"));
}

TEST(Scale, DoesNotGoBelow0ForWhatIsNeverBelowIt) {
  EXPECT_EQ(Scale({.label = ""}, {0.02, 9}, true).low(), 0);
  EXPECT_LT(Scale({.label = ""}, {-0.02, 9}, true).low(), 0);
}

TEST(Scale, TakesWhatItIsGiven) {
  const Scale fixed({.label = "", .low = 0, .high = 100}, {50}, true);
  EXPECT_EQ(fixed.place(25), 0.25);
  const Scale marked({.label = "", .scale = Axis::Scale::log, .marks = {1, 2, 4, 99}}, {1, 4},
                     false);
  EXPECT_EQ(marked.ticks(6).size(), 3U);  // 99 is outside
}

TEST(Scale, CanShowASingleValueAndAllEqualOnes) {
  for (const double value : {0.0, 5.0, -5.0, 1e-300, 1e300}) {
    const Scale scale({.label = ""}, {value, value, std::nan("")}, true);
    EXPECT_LT(scale.low(), scale.high()) << value;
    EXPECT_GE(scale.place(value), 0) << value;
    EXPECT_LE(scale.place(value), 1) << value;
    EXPECT_LT(scale.ticks(6).size(), 30U) << value;
  }
  EXPECT_THROW(Scale({.label = "", .scale = Axis::Scale::log}, {0, -1}, true), std::logic_error);
}

TEST(Thinning, KeepsEveryExtreme) {
  std::vector<Point> points;
  for (int i = 0; i < 10'000; ++i) {
    points.push_back({.x = static_cast<double>(i),
                      .y = i == 4567 ? 100.0
                           : i == 89 ? -100.0
                                     : 0.0});
  }
  const auto kept = thinned(points, 100);
  EXPECT_LE(kept.size(), 404U);
  const auto has = [&](double y) {
    return std::ranges::any_of(kept, [&](const Point& point) { return point.y == y; });
  };
  EXPECT_TRUE(has(100));
  EXPECT_TRUE(has(-100));
  EXPECT_EQ(kept.front().x, 0);
  EXPECT_EQ(kept.back().x, 9999);
  EXPECT_EQ(thinned(points, 5000).size(), points.size());
}

TEST(Words, AreOneLineOfValidUtf8) {
  EXPECT_EQ(clean("a\nb\tc\x01"), "a\\nb\\tc\\x01");
  EXPECT_EQ(clean("é × 漢 …"), "é × 漢 …");
  EXPECT_EQ(clean("\xC0\xAF|\xED\xA0\x80|\xF5\x80\x80\x80|\xE2\x82"),
            "\uFFFD\uFFFD|\uFFFD\uFFFD\uFFFD|\uFFFD\uFFFD\uFFFD\uFFFD|\uFFFD\uFFFD");
  EXPECT_EQ(escaped("<a href=\"x\">&"), "&lt;a href=&quot;x&quot;&gt;&amp;");
}

TEST(Words, AreCutVisibly) {
  EXPECT_EQ(shortened("short", 100, 12), "short");
  const auto cut = shortened(std::string(500, 'x'), 100, 12);
  EXPECT_TRUE(cut.ends_with("…")) << cut;
  EXPECT_LE(text_width(cut, 12), 100);
  const auto lines = wrapped("one two three four five six seven", 60, 12, 2);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_TRUE(lines[1].ends_with("…")) << lines[1];
  EXPECT_TRUE(wrapped("", 60, 12, 2).empty());
}

}  // namespace
}  // namespace epochcast::plot
