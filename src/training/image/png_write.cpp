#include "src/training/image/png_write.hpp"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"

namespace epochcast::image {

namespace {

RunError cannot_write(const std::string& path, const char* reason) {
  return RunError(fmt::format("{}: cannot be written: {}", path, reason));
}

std::string encode(const std::string& path, const Image& image) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = png_uint_32(image.width);
  png.height = png_uint_32(image.height);
  png.format = PNG_FORMAT_RGB;
  std::string bytes;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png);
  bytes.resize(size);
  if (png_image_write_to_memory(&png, bytes.data(), &size, 0, image.pixels.data(), 0, nullptr) ==
      0) {
    throw cannot_write(path, png.message);
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace

std::string png_bytes(const Image& image) {
  return encode("a picture in memory", image);
}

void write_png(const std::string& path, const Image& image) {
  write_file(path, encode(path, image));
}

Image make_grid(const std::vector<Image>& tiles, int columns) {
  assert(!tiles.empty() && columns > 0);
  const Image& first = tiles.front();
  const int rows = (int(tiles.size()) + columns - 1) / columns;
  Image grid{first.width * columns, first.height * rows};
  for (int i = 0; i < int(tiles.size()); ++i) {
    const Image& tile = tiles[std::size_t(i)];
    assert(tile.width == first.width && tile.height == first.height);
    for (int y = 0; y < tile.height; ++y) {
      std::uint8_t* to =
          grid.row(i / columns * tile.height + y) + std::size_t(i % columns) * tile.row_bytes();
      std::copy_n(tile.row(y), tile.row_bytes(), to);
    }
  }
  return grid;
}

Image image_from_planes(std::span<const float> planes, int width, int height) {
  Image image{width, height};
  const std::size_t plane = std::size_t(width) * std::size_t(height);
  assert(planes.size() == plane * Image::channels);
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    const float value = planes[i % Image::channels * plane + i / Image::channels];
    image.pixels[i] = std::uint8_t(std::lround(std::clamp((value / 2 + 0.5F) * 255, 0.0F, 255.0F)));
  }
  return image;
}

}  // namespace epochcast::image
