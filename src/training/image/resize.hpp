// Resizes images exactly like PIL's Image.resize: a convolution whose filter widens when the image
// shrinks (antialiasing), in one pass along each axis, each in 8-bit fixed point.
#pragma once

#include "src/training/image/image.hpp"

namespace epochcast::image {

enum class ResizeFilter { bilinear, bicubic };

/// Resizes `image` to `width` x `height`, both at least 1. An axis that already has the requested
/// length stays unchanged.
Image resize(const Image& image, int width, int height,
             ResizeFilter filter = ResizeFilter::bilinear);

}  // namespace epochcast::image
