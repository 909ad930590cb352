#include "src/training/image/preprocessing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "src/base/core/error.hpp"

namespace epochcast::image {
namespace {

/// Resizes the shorter axis to `edge` pixels; rounds the other down to whole pixels, as Python's
/// int() does.
Image with_shorter_axis(const Image& image, std::int64_t edge, ResizeFilter filter,
                        std::int64_t max_pixels) {
  const std::int64_t shorter = std::min(image.width, image.height);
  const auto width = edge * image.width / shorter;
  const auto height = edge * image.height / shorter;
  if (width * height > max_pixels) {
    throw Error(fmt::format(
        "found {} x {} pixels, expected a picture that is less narrow: it would become {} x {}",
        image.width, image.height, width, height));
  }
  return resize(image, int(width), int(height), filter);
}

Image middle_of(const Image& image, int width, int height) {
  assert(image.width >= width && image.height >= height);
  const auto left = std::size_t((image.width - width) / 2) * Image::channels;
  const int top = (image.height - height) / 2;
  Image result(width, height);
  for (int y = 0; y < height; ++y) {
    std::copy_n(image.row(top + y) + left, result.row_bytes(), result.row(y));
  }
  return result;
}

}  // namespace

Image fitted(const Image& image, const Preprocessing& how, int width, int height,
             std::int64_t max_pixels) {
  if (how.edge == 0) {
    return resize(image, width, height, how.filter);
  }
  if (how.fit == Fit::stretch) {
    return middle_of(resize(image, how.edge, how.edge, how.filter), width, height);
  }
  return middle_of(with_shorter_axis(image, how.edge, how.filter, max_pixels), width, height);
}

void split_planes(const Image& image, std::uint8_t* planes) {
  const std::size_t plane = std::size_t(image.width) * std::size_t(image.height);
  for (std::size_t i = 0; i < plane; ++i) {
    for (std::size_t c = 0; c < Image::channels; ++c) {
      planes[c * plane + i] = image.pixels[i * Image::channels + c];
    }
  }
}

std::array<float, 256> normalized_bytes(const Preprocessing& how, int channel) {
  const auto c = std::size_t(channel);
  std::array<float, 256> table{};
  for (std::size_t byte = 0; byte < table.size(); ++byte) {
    table[byte] = (float(byte) / 255.0F - how.mean[c]) / how.deviation[c];
  }
  return table;
}

}  // namespace epochcast::image
