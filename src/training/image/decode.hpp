// Decodes PNG and JPEG files to 8-bit RGB, with the same result as PIL's
// Image.open(f).convert("RGB"): expands palettes and gray, drops alpha, reduces 16-bit channels to
// their high byte (clips 16-bit gray without alpha at 255, as PIL does), and converts CMYK. The
// content determines the format of a file, never its name.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "src/training/image/image.hpp"

namespace epochcast::image {

/// Larger images are rejected, so that a malicious header cannot request all memory.
inline constexpr std::int64_t max_image_pixels = 200'000'000;

/// Decodes `bytes`; `name` is the file name for errors. Throws Error in one line, "NAME: what is
/// wrong", also for an image of more than `max_pixels`, which is at most max_image_pixels.
Image decode_image(std::span<const std::uint8_t> bytes, const std::string& name,
                   std::int64_t max_pixels = max_image_pixels);

/// Reads and decodes a file. Throws Error like decode_image, and if the file cannot be read.
Image read_image(const std::string& path);

/// Throws Error unless the file can be opened and begins like a PNG or JPEG file. Reads only its
/// first bytes.
void check_image_header(const std::string& path);

}  // namespace epochcast::image
