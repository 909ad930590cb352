#include "src/output/plot/svg.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "src/base/core/csv.hpp"
#include "src/base/core/text.hpp"
#include "src/output/plot/theme.hpp"
#include "tests/src/output/plot/made_charts.hpp"

namespace epochcast::plot {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(Svg, OfBarsIsAsLookedAt) {
  expect_golden(svg(made_bars()), "plot_bars.svg");
}

TEST(Svg, OfLinesIsAsLookedAt) {
  expect_golden(svg(made_lines()), "plot_lines.svg");
}

TEST(Svg, IsXmlInEveryThemeAndSize) {
  for (const auto theme : {Theme::light, Theme::automatic, Theme::page}) {
    for (const double width : {10.0, 400.0, 1400.0}) {
      EXPECT_EQ(xml_fault(svg({made_bars(), made_lines()},
                              {.width = width, .height = 60, .theme = theme})),
                "")
          << width;
    }
  }
}

TEST(Svg, ShowsEveryValueAndItsRangeUnderThePointer) {
  const auto text = svg(made_bars());
  EXPECT_EQ(count_of(text, "<title>"), 6U);
  EXPECT_THAT(text, HasSubstr("<title>actual: cpu1, time 28 s (26 to 31); 3 runs</title>"));
  EXPECT_THAT(text, HasSubstr("role=\"img\""));
  EXPECT_THAT(text, HasSubstr("aria-label=\"Made bars. simulated; n = 6 runs. time (s) against "
                              "allocation.\""));
}

TEST(Svg, HasARangeOnlyWhereLowAndHighDiffer) {
  EXPECT_EQ(count_of(svg(made_bars()), "plot-onbar\""), 1U);
}

TEST(Svg, ShowsHostileTextAsTextWhereverItStands) {
  auto chart = made_bars();
  chart.title = chart.subtitle = chart.x.label = chart.y.unit = hostile;
  chart.x.categories[1] = hostile;
  chart.series[0].name = hostile + std::string(5000, 'W');
  chart.series[0].points[0].note = hostile;
  chart.references[0].label = hostile;
  chart.spans.push_back({0, 1, hostile});
  chart.annotations.push_back({1, 10, hostile});
  chart.notes.push_back(hostile);
  const auto text = svg(chart);
  EXPECT_EQ(xml_fault(text), "");
  EXPECT_THAT(text, Not(HasSubstr("<script")));
  EXPECT_THAT(text, HasSubstr("&lt;script&gt;"));
  EXPECT_THAT(text, HasSubstr("\\n\\x1b[31m"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\xE2\x80\xAE")));  // turns the direction of writing
  EXPECT_THAT(text, HasSubstr("…</text>"));
}

TEST(Svg, OfChartsWithoutAValueIsAnError) {
  auto chart = made_lines();
  for (auto& series : chart.series) {
    for (auto& point : series.points) {
      point.y = -1;  // not on a logarithmic axis
      point.low = point.high = std::nullopt;
    }
  }
  EXPECT_FALSE(has_values(chart));
  EXPECT_THAT(error_of([&] { static_cast<void>(svg(chart)); }),
              HasSubstr("Made lines: no value can be drawn"));
  EXPECT_THROW(static_cast<void>(svg(std::vector<Chart>{})), Error);
}

TEST(Svg, LeavesOutWhatAnAxisCannotShowAndBreaksTheLine) {
  auto chart = made_lines();
  chart.series[2].points.push_back({.x = 5, .y = -3});
  chart.series[2].points.push_back({.x = std::nan(""), .y = 1});
  const auto text = svg(chart);
  EXPECT_EQ(xml_fault(text), "");
  EXPECT_THAT(text, Not(HasSubstr("nan")));
  const auto line = text.find("<path class=\"plot-line plot-l1\"", text.find("plot-band"));
  const auto d = text.substr(line, text.find("/>", line) - line);
  EXPECT_EQ(count_of(text, "<title>measured: "), 4U);
  EXPECT_NE(d.find('M'), std::string::npos);
}

TEST(Svg, StaysSmallForAMillionPoints) {
  Chart chart{.name = "many", .title = "Many", .subtitle = {}, .x = {.label = "i"}, .y = {}};
  auto& series = chart.series.emplace_back(Series{.kind = Series::Kind::line});
  for (int i = 0; i < 1'000'000; ++i) {
    series.points.push_back({.x = static_cast<double>(i), .y = i == 654'321 ? 9.0 : i % 7 / 7.0});
  }
  const auto text = svg(chart);
  EXPECT_LT(text.size(), 120'000U);
  EXPECT_THAT(text, HasSubstr(">10</text>"));  // the outlier is in the range, and so visible
}

TEST(Svg, HasItsColoursByTheme) {
  EXPECT_THAT(svg(made_bars(), {.theme = Theme::light}), Not(HasSubstr("@media")));
  EXPECT_THAT(svg(made_bars(), {.theme = Theme::automatic}),
              HasSubstr("@media(prefers-color-scheme:dark)"));
  EXPECT_THAT(svg(made_bars(), {.theme = Theme::page}), Not(HasSubstr("<style")));
  EXPECT_THAT(stylesheet(), HasSubstr("var(--plot-1)"));
}

/// WCAG 2.1: relative luminance of "#rrggbb".
double luminance(const std::string& color) {
  const auto part = [&](std::size_t at) {
    const double value = std::stoi(color.substr(at, 2), nullptr, 16) / 255.0;
    return value <= 0.03928 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5);
}

TEST(Svg, HasColoursThatStandOutFromTheGround) {
  const auto luminance_in = [](const std::string& rules, int color) {
    return luminance(
        rules.substr(rules.find(".plot-f" + std::to_string(color) + "{fill:") + 14, 7));
  };
  const auto light = rules(Colors::light);
  const auto dark = rules(Colors::dark);
  for (int color = 1; color <= colors; ++color) {
    EXPECT_GE(1.05 / (luminance_in(light, color) + 0.05), 3) << color;
    EXPECT_GE((luminance_in(dark, color) + 0.05) / (luminance("#17191c") + 0.05), 3) << color;
  }
}

TEST(ChartData, AreAllPointsInFullPrecision) {
  auto chart = made_lines();
  chart.series[2].points[1].y = 1.0 / 3;
  chart.series[2].name = hostile;
  const auto rows = parse_csv(csv({made_bars(), chart}));
  ASSERT_EQ(rows.size(), 1U + 6 + 12);
  EXPECT_EQ(rows[0],
            (CsvRow{"chart", "series", "x_axis", "x", "y_axis", "y", "low", "high", "note"}));
  EXPECT_EQ(rows[4], (CsvRow{"bars", "actual", "allocation", "cpu1", "time (s)", "28", "26", "31",
                             "3 runs"}));
  EXPECT_EQ(rows[12][1], printable_lines(hostile));
  EXPECT_EQ(parse_double(rows[12][5]), 1.0 / 3);
  EXPECT_EQ(rows[13][5], "");  // not known
}

}  // namespace
}  // namespace epochcast::plot
