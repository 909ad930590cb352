// The two decoders after decode.hpp. Each library is touched by one file; errors carry no file
// name yet.
#pragma once

#include <cstdint>
#include <span>

#include "src/image/image.hpp"

namespace epochcast::image::codec {

Image decode_png(std::span<const std::uint8_t> bytes);
Image decode_jpeg(std::span<const std::uint8_t> bytes);

/// Throws Error for a picture without pixels, with more than max_image_pixels, or with more than so
/// few bytes can hold. Called before memory for the pixels is taken.
void check_size(std::int64_t width, std::int64_t height, std::size_t file_bytes);

}  // namespace epochcast::image::codec
