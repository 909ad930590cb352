// Resizing as PIL's Image.resize does it, to the last grey level: a convolution whose filter grows
// with the shrinking (antialias), one pass along each axis, each in 8-bit fixed point.
#pragma once

#include "src/image/image.hpp"

namespace epochcast::image {

enum class ResizeFilter { bilinear, bicubic };

/// `image` at `width` x `height`, both at least 1. An axis that has its length already is left as
/// it is.
Image resize(const Image& image, int width, int height,
             ResizeFilter filter = ResizeFilter::bilinear);

}  // namespace epochcast::image
