#include "src/output/plot/picture_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/process/command.hpp"
#include "src/output/plot/gnuplot.hpp"
#include "tests/src/output/plot/made_charts.hpp"

namespace epochcast::plot {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

bool can_convert() {
  return process::is_executable("rsvg-convert") || process::is_executable("gnuplot");
}

TEST(PictureFile, IsSvgWithoutAnyProgram) {
  const TemporaryFolder folder;
  write_picture(folder / "x.svg", {made_bars()}, {});
  EXPECT_THAT(bytes_of(folder / "x.svg"), StartsWith("<?xml"));
  EXPECT_EQ(xml_fault(bytes_of(folder / "x.svg")), "");
}

TEST(PictureFile, IsPngOrPdfWhereAProgramConvertsIt) {
  if (!can_convert()) {
    GTEST_SKIP() << "neither rsvg-convert nor gnuplot";
  }
  const TemporaryFolder folder;
  write_picture(folder / "x.PNG", {made_bars(), made_lines()}, {});
  EXPECT_THAT(bytes_of(folder / "x.PNG"), StartsWith("\x89PNG"));
  write_picture(folder / "x.pdf", {made_bars()}, {});
  EXPECT_THAT(bytes_of(folder / "x.pdf"), StartsWith("%PDF"));
}

TEST(PictureFile, OfAnotherKindIsRefusedWithTheKindsThatThereAre) {
  for (const std::string path : {"x.jpg", "x", "x.svg/", ""}) {
    EXPECT_THAT(error_of([&] { require_picture_format(path); }),
                HasSubstr("ends in .svg, .png or .pdf"))
        << path;
  }
}

TEST(PictureFile, IsNotTouchedByAChartWithoutValues) {
  const TemporaryFolder folder;
  set_bytes(folder / "x.svg", "before");
  auto chart = made_bars();
  chart.series.clear();
  EXPECT_THROW(write_picture(folder / "x.svg", {chart}, {}), Error);
  EXPECT_EQ(bytes_of(folder / "x.svg"), "before");
}

TEST(GnuplotScript, QuotesATextWithAnApostropheAnywhere) {
  auto chart = made_bars();
  for (const std::string text : {"it's\n`x`", "'x\"\\"}) {
    chart.title = text;
    const auto script = gnuplot_script({chart}, {}, "png", "x.png");
    EXPECT_THAT(script, HasSubstr(text[0] == 'i' ? R"("it's\134n\140x\140")" : R"("'x\042\134")"));
  }
}

TEST(GnuplotScript, DrawsTheSameChartsAndObeysNoText) {
  if (!process::is_executable("gnuplot")) {
    GTEST_SKIP() << "no gnuplot";
  }
  const TemporaryFolder folder;
  const auto trap = folder / "trap";
  auto chart = made_bars();
  const auto command = "x'; system \"touch " + trap + "\"; print '`touch " + trap +
                       "`\nsystem \"touch " + trap + "\"\nEND_OF_DATA\n" + hostile;
  chart.title = chart.x.label = chart.series[0].name = chart.references[0].label = command;
  chart.x.categories[0] = command;
  for (const std::string terminal : {"png", "pdf"}) {
    const auto made = folder / ("it's." + terminal);
    set_bytes(folder / "script", gnuplot_script({chart, made_lines()}, {}, terminal, made));
    const auto result = process::run_command({"gnuplot", folder / "script"}, 60);
    EXPECT_TRUE(result.ok()) << result.err;
    EXPECT_GT(bytes_of(made).size(), 1000U);
  }
  EXPECT_FALSE(std::filesystem::exists(trap));
}

}  // namespace
}  // namespace epochcast::plot
