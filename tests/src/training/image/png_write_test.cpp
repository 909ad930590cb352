#include "src/training/image/png_write.hpp"

#include <gtest/gtest.h>

#include "src/base/core/error.hpp"
#include "src/training/image/decode.hpp"
#include "tests/src/training/image/fixtures.hpp"

namespace epochcast::image {
namespace {

using test::pattern;
using test::TestFolder;

TEST(WritePng, ReplacesAnOlderFileAndLeavesNoOther) {
  const TestFolder folder;
  const std::string path = folder.write("sample.png", "old");
  write_png(path, pattern(7, 5));
  EXPECT_EQ(read_image(path), pattern(7, 5));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(WritePng, NamesWhatCannotBeWritten) {
  const TestFolder folder;
  const std::string path = folder.path("none/sample.png");
  try {
    write_png(path, pattern(2, 2));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), path + ": cannot be written: No such file or directory");
    EXPECT_EQ(error.status(), exit_failed);
  }
}

TEST(WritePng, KeepsTheOldFileWhereTheNewOneCannotReplaceIt) {
  const TestFolder folder;
  folder.write("sample.png/inside", "a folder of the same name");
  EXPECT_THROW(write_png(folder.path("sample.png"), pattern(2, 2)), Error);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(Grid, PutsTilesSideBySideWithoutSpace) {
  Image white{2, 1};
  white.pixels.assign(white.pixels.size(), 255);
  const Image grid = make_grid({white, Image{2, 1}, white}, 2);
  const std::vector<std::uint8_t> expected{255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0,
                                           255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(grid.width, 4);
  EXPECT_EQ(grid.height, 2);
  EXPECT_EQ(grid.pixels, expected);
}

TEST(Grid, TheLabsPictureIsThreeRowsOfSeven) {
  const Image grid = make_grid(std::vector<Image>(21, Image{64, 64}), 7);
  EXPECT_EQ(grid.width, 448);
  EXPECT_EQ(grid.height, 192);
}

TEST(Grid, PlanesFromMinusOneToOneBecomePixels) {
  const std::vector<float> planes{-1, 1, 0, 0, 2, -7};
  EXPECT_EQ(image_from_planes(planes, 2, 1).pixels,
            (std::vector<std::uint8_t>{0, 128, 255, 255, 128, 0}));
}

}  // namespace
}  // namespace epochcast::image
