// An image in memory: 8-bit RGB, the only format that the code after the decoders uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace epochcast::image {

struct Image {
  static constexpr int channels = 3;

  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels;  ///< Rows from the top; in each row R, G, B of each pixel.

  Image() = default;
  /// A black image.
  Image(int columns, int rows)
      : width(columns), height(rows), pixels(std::size_t(columns) * std::size_t(rows) * channels) {}

  std::size_t row_bytes() const { return std::size_t(width) * channels; }
  std::uint8_t* row(int y) { return pixels.data() + row_bytes() * std::size_t(y); }
  const std::uint8_t* row(int y) const { return pixels.data() + row_bytes() * std::size_t(y); }
  bool operator==(const Image&) const = default;
};

}  // namespace epochcast::image
