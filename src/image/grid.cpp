#include "src/image/grid.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace epochcast::image {

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
