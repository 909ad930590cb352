// Writes images as PNG files, alone or as a grid.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "src/training/image/image.hpp"

namespace epochcast::image {

/// The bytes of `image` as a file of 8-bit RGB PNG.
std::string png_bytes(const Image& image);

/// Writes `image` as 8-bit RGB PNG. The file is renamed to `path` when it is complete and replaces
/// an older one. Throws RunError "PATH: cannot be written: reason".
void write_png(const std::string& path, const Image& image);

/// Arranges `tiles` (at least one, all of the same size) in rows of `columns` without gaps. Cells
/// without a tile are black.
Image make_grid(const std::vector<Image>& tiles, int columns);

/// Converts three planes (R, G, B) of `width` x `height` values from -1 (black) to 1, as a network
/// with a final tanh outputs them, to an image. Values outside the range are clipped.
Image image_from_planes(std::span<const float> planes, int width, int height);

}  // namespace epochcast::image
