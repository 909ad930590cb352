// Sample pictures: what a generator made, side by side.
#pragma once

#include <span>
#include <vector>

#include "src/image/image.hpp"

namespace epochcast::image {

/// `tiles`, all of one size and at least one, in rows of `columns` without space between them.
/// Places without a tile stay black.
Image make_grid(const std::vector<Image>& tiles, int columns);

/// The picture in three planes (R, G, B) of `width` x `height` values from -1 (black) to 1, as a
/// network with a tanh at its end gives it; values beyond are clipped.
Image image_from_planes(std::span<const float> planes, int width, int height);

}  // namespace epochcast::image
