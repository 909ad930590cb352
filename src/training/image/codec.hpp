// The two decoders that decode.hpp uses. Only one file uses each library. Errors do not contain the
// file name yet.
#pragma once

#include <cstdint>
#include <span>

#include "src/training/image/image.hpp"

namespace epochcast::image::codec {

Image decode_png(std::span<const std::uint8_t> bytes, std::int64_t max_pixels);
Image decode_jpeg(std::span<const std::uint8_t> bytes, std::int64_t max_pixels);

struct SizeLimits {
  std::int64_t max_pixels;
  std::size_t file_bytes;
};

/// Throws Error for an image without pixels, with more than `max_pixels`, with a side that is too
/// long, or with more pixels than `file_bytes` bytes can encode. Called before the memory for the
/// pixels is allocated.
void check_size(std::int64_t width, std::int64_t height, const SizeLimits& limits);

}  // namespace epochcast::image::codec
