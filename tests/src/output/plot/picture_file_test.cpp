#include "src/output/plot/picture_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/process/command.hpp"
#include "tests/src/output/plot/made_charts.hpp"

namespace epochcast::plot {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(PictureFile, IsSvgWithoutAnyProgram) {
  const TemporaryFolder folder;
  write_picture(folder / "x.svg", {made_bars()}, {});
  EXPECT_THAT(bytes_of(folder / "x.svg"), StartsWith("<?xml"));
  EXPECT_EQ(xml_fault(bytes_of(folder / "x.svg")), "");
}

TEST(PictureFile, IsPngOrPdfWhereRsvgConvertIs) {
  if (!process::is_executable("rsvg-convert")) {
    GTEST_SKIP() << "no rsvg-convert";
  }
  const TemporaryFolder folder;
  auto chart = made_bars();
  chart.title = chart.x.categories[0] = hostile;
  write_picture(folder / "x.PNG", {chart, made_lines()}, {});
  EXPECT_THAT(bytes_of(folder / "x.PNG"), StartsWith("\x89PNG"));
  write_picture(folder / "x.pdf", {made_bars()}, {});
  EXPECT_THAT(bytes_of(folder / "x.pdf"), StartsWith("%PDF"));
}

TEST(PictureFile, ThatNeedsAProgramNamesItAndItsPackage) {
  const TemporaryFolder folder;
  const std::string path = getenv("PATH");
  setenv("PATH", folder.path().c_str(), 1);
  const auto message = error_of([&] { require_picture_format("x.pdf"); });
  require_picture_format("x.svg");
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(message,
            "--output: 'x.pdf' needs rsvg-convert (Debian: librsvg2-bin), which is not in PATH; "
            ".svg needs no program");
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

}  // namespace
}  // namespace epochcast::plot
