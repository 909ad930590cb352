// PNG and JPEG files as they come, as the 8-bit RGB that PIL's Image.open(f).convert("RGB") makes
// of them: palettes and grey expanded, alpha dropped, 16-bit channels cut to their high byte
// (16-bit grey without alpha is clipped at 255, as PIL does), CMYK converted. The content decides
// what a file is, never its name.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "src/image/image.hpp"

namespace epochcast::image {

/// Larger pictures are refused, so that a hostile header cannot ask for all memory.
inline constexpr std::int64_t max_image_pixels = 200'000'000;

/// The picture in `bytes`; `name` stands for the file in errors. Throws Error, one line "NAME: what
/// is wrong".
Image decode_image(std::span<const std::uint8_t> bytes, const std::string& name);

/// The picture in a file. Throws Error as decode_image, also if the file cannot be read.
Image read_image(const std::string& path);

/// Throws Error unless the file can be opened and begins as a PNG or JPEG; reads no more than its
/// first bytes.
void check_image_header(const std::string& path);

}  // namespace epochcast::image
