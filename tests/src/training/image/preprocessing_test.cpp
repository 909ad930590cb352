#include "src/training/image/preprocessing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/files.hpp"
#include "tests/src/training/image/fixtures.hpp"

namespace epochcast::image {
namespace {

using test::pattern;
using ::testing::HasSubstr;

/// The pixels of `image` from (left, top) on.
Image part_of(const Image& image, int left, int top, int width, int height) {
  Image part(width, height);
  for (int y = 0; y < height; ++y) {
    for (int i = 0; i < width * Image::channels; ++i) {
      part.row(y)[i] = image.row(top + y)[left * Image::channels + i];
    }
  }
  return part;
}

TEST(Preprocessing, WithoutAnEdgeTheWholePictureIsResized) {
  const Image image = pattern(50, 20);
  EXPECT_EQ(fitted(image, {}, 16, 16), resize(image, 16, 16));
}

TEST(Preprocessing, ResizesAndCropsTheCenter) {
  const Image image = pattern(50, 20);
  const Preprocessing how{.filter = ResizeFilter::bicubic, .edge = 19};
  EXPECT_EQ(fitted(image, how, 16, 16),
            part_of(resize(image, 19, 19, ResizeFilter::bicubic), 1, 1, 16, 16));
}

TEST(Preprocessing, BringsTheShorterAxisToItsLengthInProportion) {
  const Preprocessing how{.fit = Fit::shortest_edge, .edge = 18};
  const Image wide = pattern(50, 20);
  EXPECT_EQ(fitted(wide, how, 16, 16), part_of(resize(wide, 45, 18), 14, 1, 16, 16));
  const Image high = pattern(7, 10);  // 18 x 25.7
  EXPECT_EQ(fitted(high, how, 16, 16), part_of(resize(high, 18, 25), 1, 4, 16, 16));
}

TEST(Preprocessing, RefusesAPictureThatWouldTakeAllMemory) {
  const Preprocessing how{.fit = Fit::shortest_edge, .edge = 256};
  EXPECT_THAT(error_of([&] { fitted(Image(20'000, 1), how, 224, 224); }),
              HasSubstr("found 20000 x 1 pixels, expected a picture that is less narrow"));
  EXPECT_THAT(error_of([&] { fitted(Image(2, 200), how, 224, 224, 4'000'000); }),
              HasSubstr("it would become 256 x 25600"));
}

TEST(Preprocessing, NormalizesByChannel) {
  const Preprocessing how{.mean = imagenet_mean, .deviation = imagenet_deviation};
  EXPECT_FLOAT_EQ(normalized_bytes(how, 2)[255], (1 - 0.406F) / 0.225F);
  EXPECT_FLOAT_EQ(normalized_bytes({}, 0)[0], -1);
}

}  // namespace
}  // namespace epochcast::image
