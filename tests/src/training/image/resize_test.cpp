#include "src/training/image/resize.hpp"

#include <gtest/gtest.h>

#include "tests/src/training/image/fixtures.hpp"

namespace epochcast::image {
namespace {

using test::pattern;

TEST(Resize, LeavesAPictureOfTheSizeAsItIs) {
  EXPECT_EQ(resize(pattern(9, 4), 9, 4), pattern(9, 4));
}

TEST(Resize, AOneColorImageKeepsItsColor) {
  for (const ResizeFilter filter : {ResizeFilter::bilinear, ResizeFilter::bicubic}) {
    for (const int size : {1, 2, 63, 64, 65, 500}) {
      Image image{size, 2 * size};
      image.pixels.assign(image.pixels.size(), 200);
      for (const std::uint8_t value : resize(image, 64, 31, filter).pixels) {
        ASSERT_EQ(value, 200);
      }
    }
  }
}

TEST(Resize, HalvingWeighsNeighborsByTheTriangle) {
  Image image{4, 1};
  image.row(0)[3] = 160;  // the second pixel's red: weight 3/7 in the left half, 1/7 in the right
  const Image half = resize(image, 2, 1);
  EXPECT_EQ(half.pixels, (std::vector<std::uint8_t>{69, 0, 0, 23, 0, 0}));
}

}  // namespace
}  // namespace epochcast::image
